import { type HtmlPart, html } from '../../../http/html-template.js'
import type { DrawnGroup, DrawnList, DrawnValue } from '../documents/drawn-value.js'

/* Coordinates of a document as a small drawing: the place on a rough outline of the continents. */

interface Position {
  readonly longitude: number
  readonly latitude: number
}

interface Place {
  readonly kind: 'point' | 'box' | 'polygon'
  readonly positions: readonly Position[]
  /** Whether the place has all that the value says. */
  readonly isWhole?: boolean
}

/** The place that a value describes by its names of coordinates; undefined for others. @param name of the value */
export function placeIn(name: string, value: DrawnValue): Place | undefined {
  if (value.kind === 'text') return placeOfText(name, value.text)
  const place = value.kind === 'list' ? placeOfList(name, value) : placeOfGroup(value)
  return place && place.positions.length > 0 && place.positions.every(isOnEarth) ? place : undefined
}

const latitudes = /^(?:point|decimal)?_?lat(?:itude)?$/i
const longitudes = /^(?:point|decimal)?_?(?:lon|lng|long|longitude)$/i
const sides = [/^west(?:_?bound)?_?(?:lon|longitude)?$/i, /^east(?:_?bound)?_?(?:lon|longitude)?$/i] as const
const ends = [/^south(?:_?bound)?_?(?:lat|latitude)?$/i, /^north(?:_?bound)?_?(?:lat|latitude)?$/i] as const

function placeOfGroup(group: DrawnGroup): Place | undefined {
  const point = positionIn(group)
  if (point) return { kind: 'point', positions: [point], isWhole: group.members.length === 2 }
  const [west, east] = sides.map(name => numberIn(group, name))
  const [south, north] = ends.map(name => numberIn(group, name))
  if (west !== undefined && east !== undefined && south !== undefined && north !== undefined)
    return { ...boxOf(west, south, east, north), isWhole: group.members.length === 4 }
  const coordinates = group.members.find(({ name }) => name === 'coordinates')?.value
  const type = group.members.find(({ name }) => name === 'type')?.value
  if (coordinates?.kind !== 'list' || type?.kind !== 'text') return undefined
  // GeoJSON writes the longitude first.
  const positions = pairsIn(coordinates)
  if (type.text === 'Point') return { kind: 'point', positions }
  return /^(?:Multi)?(?:Polygon|LineString)$|^MultiPoint$/.test(type.text)
    ? { kind: 'polygon', positions }
    : undefined
}

function placeOfList(name: string, { entries }: DrawnList): Place | undefined {
  if (/^bbox$/i.test(name) && entries.length === 4) {
    const [west, south, east, north] = entries.map(numberOf)
    if (west !== undefined && south !== undefined && east !== undefined && north !== undefined)
      return boxOf(west, south, east, north)
  }
  if (!entries.every(({ kind }) => kind === 'group')) return undefined
  const positions = pointsIn(entries).map(point => positionIn(point))
  if (positions.length < 3) return undefined
  return positions.every(position => position !== undefined) ? { kind: 'polygon', positions } : undefined
}

/**
 * The points of a polygon. DataCite puts each into a group of its own: `polygonPoint` is a corner, `inPolygonPoint` lies
 * inside.
 */
export function pointsIn(entries: readonly DrawnValue[]): readonly DrawnGroup[] {
  return entries.flatMap(entry => {
    if (entry.kind !== 'group') return []
    const [only, second] = entry.members
    if (only?.value.kind !== 'group' || second) return [entry]
    return only.name === 'inPolygonPoint' ? [] : [only.value]
  })
}

/** Kernel 3 of DataCite writes a point and a box as a text: latitude and longitude, of two corners for a box. */
function placeOfText(name: string, text: string): Place | undefined {
  if (!/^geoLocation(?:Point|Box)$/.test(name)) return undefined
  const numbers = text
    .trim()
    .split(/[\s,]+/)
    .map(Number)
  const [south = 0, west = 0, north, east] = numbers
  const place: Place =
    north !== undefined && east !== undefined
      ? boxOf(west, south, east, north)
      : { kind: 'point', positions: [{ latitude: south, longitude: west }] }
  return (numbers.length === 2 || numbers.length === 4) && place.positions.every(isOnEarth)
    ? place
    : undefined
}

function boxOf(west: number, south: number, east: number, north: number): Place {
  return {
    kind: 'box',
    positions: [
      { longitude: west, latitude: south },
      { longitude: east, latitude: north },
    ],
  }
}

function positionIn(group: DrawnGroup): Position | undefined {
  const [latitude, longitude] = [numberIn(group, latitudes), numberIn(group, longitudes)]
  return latitude === undefined || longitude === undefined ? undefined : { latitude, longitude }
}

function numberIn({ members }: DrawnGroup, name: RegExp): number | undefined {
  const value = members.find(member => name.test(member.name))?.value
  return value && numberOf(value)
}

function numberOf(value: DrawnValue): number | undefined {
  const text = value.kind === 'text' ? value.text : value.kind === 'group' ? value.text?.text : undefined
  return text !== undefined && /^\s*[-+]?\d{1,3}(?:\.\d*)?\s*$/.test(text) ? Number(text) : undefined
}

/** Pairs of numbers in lists of lists. */
function pairsIn({ entries }: DrawnList): readonly Position[] {
  const [longitude, latitude] = entries.map(numberOf)
  if (longitude !== undefined && latitude !== undefined) return [{ longitude, latitude }]
  return entries.flatMap(entry => (entry.kind === 'list' ? pairsIn(entry) : []))
}

function isOnEarth({ longitude, latitude }: Position): boolean {
  return Math.abs(longitude) <= 180 && Math.abs(latitude) <= 90
}

/** Degrees below which a place is drawn with a ring around it. */
const smallest = 8

/** The place on a map of the world, with its coordinates as text. */
export function mapSketch({ kind, positions }: Place): HtmlPart {
  const longitudes = positions.map(({ longitude }) => longitude)
  const latitudes = positions.map(({ latitude }) => latitude)
  const [first, last] = [positions[0], positions.at(-1)]
  // A box whose west is greater than its east crosses the date line.
  const crosses = kind === 'box' && first && last && first.longitude > last.longitude
  const [west, east] = crosses
    ? [first.longitude, last.longitude]
    : [Math.min(...longitudes), Math.max(...longitudes)]
  const [south, north] = [Math.min(...latitudes), Math.max(...latitudes)]
  const words =
    kind === 'point'
      ? `${degrees(south, 'N', 'S')}, ${degrees(west, 'E', 'W')}`
      : `${degrees(south, 'N', 'S')} to ${degrees(north, 'N', 'S')}, ${degrees(west, 'E', 'W')} to ${degrees(east, 'E', 'W')}`
  const area =
    kind === 'polygon'
      ? pathOf(positions)
      : crosses
        ? boxPath(west, 180, south, north) + boxPath(-180, east, south, north)
        : boxPath(west, east, south, north)
  const isSmall = !crosses && east - west < smallest && north - south < smallest
  return html`<figure class="place"><svg viewbox="0 0 360 180" role="img" aria-label="Map of the world with the place"><path class="land" d="${land}"></path><path class="grid" d="${grid}"></path><path class="area" d="${area}"></path>${
    isSmall &&
    html`<circle class="ring" cx="${x((west + east) / 2)}" cy="${y((south + north) / 2)}" r="7"></circle><circle class="dot" cx="${x((west + east) / 2)}" cy="${y((south + north) / 2)}" r="2"></circle>`
  }</svg><figcaption>${words}</figcaption></figure>`
}

function degrees(value: number, positive: string, negative: string): string {
  return `${Math.abs(value)}°${value === 0 ? '' : ` ${value > 0 ? positive : negative}`}`
}

function x(longitude: number): string {
  return String(Math.round((longitude + 180) * 10) / 10)
}

function y(latitude: number): string {
  return String(Math.round((90 - latitude) * 10) / 10)
}

function boxPath(west: number, east: number, south: number, north: number): string {
  return `M${x(west)} ${y(north)}H${x(east)}V${y(south)}H${x(west)}Z`
}

function pathOf(positions: readonly Position[]): string {
  return `M${positions.map(({ longitude, latitude }) => `${x(longitude)} ${y(latitude)}`).join('L')}Z`
}

/** Lines at every 30 degrees. */
const grid = [
  ...[-150, -120, -90, -60, -30, 0, 30, 60, 90, 120, 150].map(longitude => `M${x(longitude)} 0V180`),
  ...[-60, -30, 0, 30, 60].map(latitude => `M0 ${y(latitude)}H360`),
].join('')

/** Rough outlines of land, drawn by hand: longitudes and latitudes in turn. */
const outlines: readonly (readonly number[])[] = [
  [
    -168, 66, -156, 71, -128, 70, -95, 72, -82, 68, -94, 60, -80, 52, -78, 62, -65, 58, -56, 52, -66, 45, -70,
    42, -76, 35, -81, 30, -80, 25, -84, 30, -97, 27, -97, 20, -91, 19, -87, 21, -88, 16, -83, 14, -82, 9, -78,
    8, -85, 10, -95, 16, -105, 20, -112, 29, -110, 23, -117, 33, -124, 40, -124, 48, -135, 58, -150, 60, -163,
    55, -158, 58, -165, 62,
  ],
  [
    -78, 8, -72, 12, -60, 9, -50, 0, -35, -6, -39, -15, -48, -26, -58, -35, -63, -41, -68, -54, -74, -50, -73,
    -38, -70, -18, -81, -5, -78, 2,
  ],
  [
    -6, 35, 10, 37, 20, 31, 32, 31, 43, 12, 51, 12, 40, -3, 40, -15, 35, -22, 32, -29, 20, -35, 12, -17, 9,
    -1, 9, 4, -8, 4, -17, 14, -16, 24, -10, 30,
  ],
  [
    -9, 37, -9, 43, -2, 44, -4, 48, 5, 52, 8, 57, 10, 54, 20, 55, 24, 59, 30, 60, 22, 61, 25, 65, 18, 62, 15,
    56, 10, 59, 5, 59, 5, 62, 15, 68, 28, 71, 42, 67, 68, 69, 73, 73, 104, 77, 140, 73, 170, 70, 180, 68, 178,
    63, 163, 60, 157, 51, 155, 59, 140, 59, 135, 54, 141, 52, 130, 43, 127, 36, 121, 40, 122, 31, 118, 24,
    108, 21, 109, 12, 105, 9, 100, 13, 104, 2, 98, 9, 97, 17, 90, 22, 80, 15, 77, 8, 72, 20, 66, 25, 57, 26,
    48, 30, 57, 24, 59, 22, 45, 13, 39, 21, 35, 29, 35, 36, 27, 37, 26, 41, 41, 41, 38, 47, 30, 46, 28, 41,
    23, 38, 19, 42, 13, 45, 18, 40, 16, 38, 10, 44, 3, 43, 0, 39, -5, 36,
  ],
  [
    114, -22, 122, -18, 130, -12, 137, -12, 141, -17, 142, -11, 153, -27, 150, -37, 140, -38, 131, -32, 115,
    -34,
  ],
  [-73, 78, -40, 83, -20, 81, -22, 70, -43, 60, -54, 67],
  [-5, 50, 1, 51, 0, 53, -3, 58, -6, 57, -3, 54],
  [130, 32, 140, 36, 142, 44, 140, 42, 136, 36],
  [44, -25, 47, -25, 50, -15, 44, -18],
  [109, 1, 117, 7, 119, 1, 115, -4],
  [95, 5, 103, -1, 106, -6, 101, -2],
  [131, -1, 141, -3, 150, -10, 138, -8],
  [-24, 65, -14, 65, -18, 63],
  [173, -35, 178, -38, 168, -46, 173, -41],
  [
    -180, -78, -120, -74, -70, -72, -58, -64, -60, -74, 0, -70, 60, -67, 120, -67, 170, -72, 180, -78, 180,
    -90, -180, -90,
  ],
]

const land = outlines
  .map(numbers => {
    const positions: Position[] = []
    for (let index = 0; index < numbers.length; index += 2)
      positions.push({ longitude: numbers[index] ?? 0, latitude: numbers[index + 1] ?? 0 })
    return pathOf(positions)
  })
  .join('')
