import { type Oid, toOid } from '../../core/value-types.js'
import type { GitObject, ObjectReader, ObjectType } from './object-reader.js'

/*
 * Annotated tags, and the objects to which they lead. @see git-mktag(1)
 */

interface PeeledTag {
  readonly oid: Oid
  readonly type: ObjectType
}

/** The object that an annotated tag names; undefined for any other object. */
export function targetOfTag({ type, bytes }: GitObject): Oid | undefined {
  const target =
    type === 'tag' ? /^object ([0-9a-f]{40})\n/.exec(bytes.toString('latin1', 0, 50))?.[1] : undefined
  return target === undefined ? undefined : toOid(target)
}

/**
 * Follows annotated tags, which may name other tags, to an object that is no tag. Any other object leads to itself.
 * @returns a tag only if that tag is malformed
 * @throws MissingObject
 */
export async function peelTag(objects: ObjectReader, oid: Oid): Promise<PeeledTag> {
  for (let next = oid; ; ) {
    const object = await objects.read(next)
    const target = targetOfTag(object)
    if (target === undefined) return { oid: next, type: object.type }
    next = target
  }
}
