import type { Collection } from '../../core/records/collection.js'
import type { Id, Oid, Version } from '../../core/value-types.js'
import { isId, parseVersion, trimEnd } from '../../core/value-types.js'

/** Where the versions of the interface are served. @see docs/contract.md#mounts */
export const version1Mounts = ['/api/v1', '/metastore/api/v1'] as const
export const version2Mounts = ['/api/v2', '/metastore/api/v2', '/repository/api/v2'] as const

const schemasPath = /^(?:\/(?:metastore\/)?api\/v[12]|\/repository\/api\/v2)\/schemas\/([^/]+)$/

/**
 * Address of a version of a record and of its document.
 * @param at the point of history it is of, where that is none of the served history
 */
export function recordUrl(root: string, kind: Collection, id: Id, version: Version, at?: Oid): string {
  const url = `${root}/${kind === 'schema' ? 'schemas' : 'metadata'}/${id}?version=${version}`
  return at === undefined ? url : `${url}&at=${at}`
}

/** Address of what changed from one version of a record to another. */
export function differenceUrl(root: string, kind: Collection, id: Id, from: Version, to: Version): string {
  return `${root}/${kind === 'schema' ? 'schemas' : 'metadata'}/${id}/diff?from=${from}&to=${to}`
}

/** A schema, as an URL names it. */
export interface ParsedSchemaUrl {
  readonly schemaId: Id
  readonly version?: Version
}

/**
 * The schema an URL of ours means: any mount, with or without `?version=`.
 * @param bases what an URL of ours may begin with, without a slash at the end
 * @returns undefined where it is not of ours
 * @see docs/contract.md#urls-in-requests
 */
export function parseSchemaUrl(text: string, bases: readonly string[]): ParsedSchemaUrl | undefined {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  for (const base of bases) {
    const { origin, pathname } = new URL(base)
    const prefix = trimEnd(pathname, '/')
    if (url.origin !== origin || !url.pathname.startsWith(`${prefix}/`)) continue
    const name = schemasPath.exec(url.pathname.slice(prefix.length))?.[1]
    const version = url.searchParams.get('version')
    if (name === undefined || !isId(name) || !isVersion(version)) continue
    return { schemaId: name, ...(version === null ? {} : { version: parseVersion(version) }) }
  }
  return undefined
}

function isVersion(text: string | null): boolean {
  return text === null || (/^\d+$/.test(text) && Number(text) >= 1)
}
