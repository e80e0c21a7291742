import type { StoredRecord } from '../../core/records/record.js'
import { visibleText } from '../text/clean-text.js'
import { absoluteIri } from '../text/iri.js'
import {
  type DataCiteFundingReference,
  type DataCiteGeoLocation,
  type DataCitePoint,
  unavailable,
} from './datacite-document.js'
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
  const name = visibleText(place)
  const ring = polygon && closedRing(polygon.points)
  const isBox =
    box &&
    [box.westLongitude, box.eastLongitude].every(isLongitude) &&
    [box.southLatitude, box.northLatitude].every(isLatitude)
  return {
    ...(name !== undefined && { geoLocationPlace: name }),
    ...(point && isOnEarth(point) && { geoLocationPoint: toPoint(point) }),
    ...(box &&
      isBox && {
        geoLocationBox: {
          westBoundLongitude: box.westLongitude,
          eastBoundLongitude: box.eastLongitude,
          southBoundLatitude: box.southLatitude,
          northBoundLatitude: box.northLatitude,
        },
      }),
    ...(ring && { geoLocationPolygon: ring.map(polygonPoint => ({ polygonPoint })) }),
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
  const uri = absoluteIri(grant.awardUri) ?? absoluteIri(grant.awardNumber?.schemeUri)
  const title = visibleText(grant.awardTitle)
  if ([name, identifier, number, title].every(part => part === undefined)) return []
  return [
    {
      funderName: name ?? unavailable,
      ...(identifier !== undefined && {
        funderIdentifier: identifier,
        funderIdentifierType: funderIdentifierTypeName(grant.funderIdentifier?.type),
      }),
      ...(number !== undefined && { awardNumber: number, ...(uri !== undefined && { awardUri: uri }) }),
      ...(title !== undefined && { awardTitle: title }),
    },
  ]
}
