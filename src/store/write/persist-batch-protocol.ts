import type { Oid } from '../../core/value-types.js'
import type { ObjectType } from '../objects/object-reader.js'
import type { NewObject } from '../packs/pack-writer.js'

/** Objects as a message to a thread: a clone of a few long values costs a fraction of that of many small ones. */
export interface ObjectColumns {
  /** Names of 40 digits, one after the other. */
  readonly names: string
  /** Places in {@link types}. */
  readonly types: Uint8Array
  /** In bytes. */
  readonly sizes: Float64Array
  /** The bytes of the objects, one after the other. */
  readonly bytes: ArrayBuffer
}

const types: readonly ObjectType[] = ['commit', 'tree', 'blob', 'tag']
const nameLength = 40

/** Copies the bytes: their buffer can be handed over. */
export function objectsToColumns(objects: readonly NewObject[]): ObjectColumns {
  const bytes = Buffer.allocUnsafeSlow(objects.reduce((sum, object) => sum + object.bytes.length, 0))
  let at = 0
  for (const object of objects) {
    bytes.set(object.bytes, at)
    at += object.bytes.length
  }
  return {
    names: objects.map(({ oid }) => oid).join(''),
    types: Uint8Array.from(objects, ({ type }) => types.indexOf(type)),
    sizes: Float64Array.from(objects, object => object.bytes.length),
    bytes: bytes.buffer as ArrayBuffer,
  }
}

export function columnsToObjects({
  names,
  types: places,
  sizes,
  bytes,
}: ObjectColumns): readonly NewObject[] {
  const objects: NewObject[] = []
  let at = 0
  for (const [place, size] of sizes.entries()) {
    objects.push({
      oid: names.slice(place * nameLength, (place + 1) * nameLength) as Oid,
      type: types[places[place] as number] as ObjectType,
      bytes: new Uint8Array(bytes, at, size),
    })
    at += size
  }
  return objects
}
