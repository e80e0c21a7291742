import {
  type DataCiteFundingReference,
  type DataCiteGeoLocation,
  type DataCitePoint,
  unavailable,
} from '../../../core/records/datacite-document.js'
import type { StoredRecord } from '../../../core/records/record.js'
import { visibleText } from '../../../core/text/clean-text.js'
import { absoluteIri } from '../../../core/text/iri.js'
import { defined } from '../defined-members.js'
import { funderIdentifierTypeName } from './datacite-terms.js'

type StoredPlace = NonNullable<StoredRecord['geoLocations']>[number]
type StoredPoint = NonNullable<StoredPlace['point']>
type StoredGrant = NonNullable<StoredRecord['fundingReferences']>[number]

const isLongitude = (degrees: number) => degrees >= -180 && degrees <= 180
const isLatitude = (degrees: number) => degrees >= -90 && degrees <= 90
const isOnEarth = (point: StoredPoint) => isLongitude(point.longitude) && isLatitude(point.latitude)

/** The places of a record, without parts whose coordinates are invalid. */
export function placesOf({ geoLocations = [] }: StoredRecord): readonly DataCiteGeoLocation[] {
  return geoLocations.map(placeOf).filter(place => Object.keys(place).length > 0)
}

function placeOf({ place, point, box, polygon }: StoredPlace): DataCiteGeoLocation {
  return defined({
    geoLocationPlace: visibleText(place),
    geoLocationPoint: point && isOnEarth(point) ? toPoint(point) : undefined,
    geoLocationBox: box && toBox(box),
    geoLocationPolygon: polygon && closedRing(polygon.points)?.map(polygonPoint => ({ polygonPoint })),
  })
}

function toBox(box: NonNullable<StoredPlace['box']>): DataCiteGeoLocation['geoLocationBox'] {
  const isBoxOnEarth =
    [box.westLongitude, box.eastLongitude].every(isLongitude) &&
    [box.southLatitude, box.northLatitude].every(isLatitude)
  if (!isBoxOnEarth) return undefined
  return {
    westBoundLongitude: box.westLongitude,
    eastBoundLongitude: box.eastLongitude,
    southBoundLatitude: box.southLatitude,
    northBoundLatitude: box.northLatitude,
  }
}

function toPoint({ longitude, latitude }: StoredPoint): DataCitePoint {
  return { pointLongitude: longitude, pointLatitude: latitude }
}

/**
 * The points of a polygon, the first one again at the end; undefined if one is invalid, or for less than three corners.
 */
function closedRing(points: readonly StoredPoint[]): readonly DataCitePoint[] | undefined {
  const [first] = points
  const last = points.at(-1)
  if (!first || !last || !points.every(isOnEarth)) return undefined
  const isClosed = first.longitude === last.longitude && first.latitude === last.latitude
  const ring = isClosed ? points : [...points, first]
  return ring.length >= 4 ? ring.map(toPoint) : undefined
}

/** The funders of a record and their awards. */
export function grantsOf({ fundingReferences = [] }: StoredRecord): readonly DataCiteFundingReference[] {
  return fundingReferences.flatMap(grantOf)
}

function grantOf(grant: StoredGrant): readonly DataCiteFundingReference[] {
  const name = visibleText(grant.funderName)
  const identifier = visibleText(grant.funderIdentifier?.value)
  const number = visibleText(grant.awardNumber?.schemeId)
  const title = visibleText(grant.awardTitle)
  if ([name, identifier, number, title].every(part => part === undefined)) return []
  return [
    defined({
      funderName: name ?? unavailable,
      funderIdentifier: identifier,
      funderIdentifierType: identifier && funderIdentifierTypeName(grant.funderIdentifier?.type),
      awardNumber: number,
      awardUri: number && (absoluteIri(grant.awardUri) ?? absoluteIri(grant.awardNumber?.schemeUri)),
      awardTitle: title,
    }),
  ]
}
