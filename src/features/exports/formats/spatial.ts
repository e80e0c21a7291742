import {
  cornersOf,
  type DataCiteDocument,
  type DataCiteGeoLocation,
  type DataCitePoint,
} from '../../../core/records/datacite-document.js'
import type { RdfNode, RdfProperty } from './rdf.js'

/** Places as `dct:Location` with geometries in well-known text, longitude first. */
export function spatialNodes({ geoLocations = [] }: DataCiteDocument): readonly RdfNode[] {
  return geoLocations.map(place => {
    const properties: RdfProperty[] = []
    if (place.geoLocationPlace !== undefined)
      properties.push(['skos:prefLabel', { text: place.geoLocationPlace }])
    if (place.geoLocationBox) properties.push(['dcat:bbox', wkt('POLYGON', boxRing(place.geoLocationBox))])
    if (place.geoLocationPoint)
      properties.push(['dcat:centroid', { ...wktType, text: `POINT(${pair(place.geoLocationPoint)})` }])
    const ring = place.geoLocationPolygon && cornersOf(place.geoLocationPolygon).map(pair)
    if (ring) properties.push(['geosparql:asWKT', wkt('POLYGON', ring)])
    return { types: ['dct:Location'], properties }
  })
}

const wktType = { type: 'geosparql:wktLiteral' } as const

function wkt(shape: string, ring: readonly string[]) {
  return { ...wktType, text: `${shape}((${ring.join(', ')}))` }
}

function pair({ pointLongitude, pointLatitude }: DataCitePoint): string {
  return `${pointLongitude} ${pointLatitude}`
}

function boxRing({
  westBoundLongitude: west,
  eastBoundLongitude: east,
  southBoundLatitude: south,
  northBoundLatitude: north,
}: NonNullable<DataCiteGeoLocation['geoLocationBox']>): readonly string[] {
  return [`${west} ${south}`, `${east} ${south}`, `${east} ${north}`, `${west} ${north}`, `${west} ${south}`]
}
