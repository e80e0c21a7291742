import { type Collection, collectionNames } from '../../core/records/collection.js'
import type { Revision } from '../../core/records/revision.js'
import type { Id, Oid, Version } from '../../core/value-types.js'
import { isId, parseVersion, trimEnd } from '../../core/value-types.js'
import { attachedFiles } from '../../service/rules/schema-source.js'
import { pathBelow, version1Mounts, version2Mounts } from '../mounts.js'

const schemasPath = pathBelow(
  [...version1Mounts, ...version2Mounts],
  'schemas/([^/]+)(?:/versions/(\\d+)/files/.*)?',
)

/**
 * Address of a version of a record and of its document.
 * @param at the requested point of history, if the version is outside the served history
 */
export function recordUrl(root: string, kind: Collection, id: Id, version: Version, at?: Oid): string {
  const url = `${root}/${collectionNames[kind]}/${id}?version=${version}`
  return at === undefined ? url : `${url}&at=${at}`
}

/**
 * Address of the document of a schema version, for validators: relative references in it lead to the files of the same
 * version. If its own files refer to the document by its name, it is a file too, and the address is that of the file:
 * at a second address, validators would read it as a second document.
 */
export function schemaFolderUrl(root: string, revision: Revision): string {
  const { id, version, document } = revision
  const [own = ''] = [...attachedFiles(revision)].find(([, oid]) => oid === document) ?? []
  return `${root}/schemas/${id}/versions/${version}/files/${own.split('/').map(encodeURIComponent).join('/')}`
}

/** Address of the comparison of two versions of a record. */
export function differenceUrl(root: string, kind: Collection, id: Id, from: Version, to: Version): string {
  return `${root}/${collectionNames[kind]}/${id}/diff?from=${from}&to=${to}`
}

/** The schema that a URL names. */
export interface ParsedSchemaUrl {
  readonly schemaId: Id
  readonly version?: Version
}

/**
 * The schema that a URL of this service names, below any mount, with or without `?version=`.
 * @param bases base URLs with which a URL of this service may begin, without a slash at the end
 * @returns undefined for another URL
 * @see docs/contract.md#urls-in-requests
 */
export function parseSchemaUrl(text: string, bases: readonly string[]): ParsedSchemaUrl | undefined {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  for (const base of bases) {
    const { origin, pathname } = new URL(base)
    const prefix = trimEnd(pathname, '/')
    if (url.origin !== origin || !url.pathname.startsWith(`${prefix}/`)) continue
    const [, name, number] = schemasPath.exec(url.pathname.slice(prefix.length)) ?? []
    const version = number ?? url.searchParams.get('version')
    if (name === undefined || !isId(name) || !isVersion(version)) continue
    return { schemaId: name, ...(version === null ? {} : { version: parseVersion(version) }) }
  }
  return undefined
}

function isVersion(text: string | null): boolean {
  return text === null || (/^\d+$/.test(text) && Number(text) >= 1)
}
