import { type Collection, collectionNames } from '../../core/records/collection.js'
import type { Id, Oid, Version } from '../../core/value-types.js'
import { recordUrl } from '../record-formats/record-urls.js'
import { v1 } from '../record-formats/v1/record-format.js'
import { v2 } from '../record-formats/v2/record-format.js'

/** The version of the interface that a page links to. */
export type ApiVersionNumber = 1 | 2

/** URLs for the pages of one interface version, below one base URL and mount. */
export interface PageUrls {
  /** Beginning of the URLs of pages, such as `https://example.org/metastore`. */
  readonly root: string
  /** Beginning of the URLs of records, such as `https://example.org/metastore/api/v1`. */
  readonly api: string
  /** The first of the media types of a record in this version of the interface. */
  readonly recordTypes: Readonly<Record<Collection, string>>
  /** The page of a version of a record; by default of the newest version. */
  page(kind: Collection, id: Id, version?: Version): string
  /** The record and its document: `Accept` chooses between them. */
  item(kind: Collection, id: Id, version: Version): string
  /** A further file of a schema. */
  file(id: Id, path: string, version: Version): string
  /** The document as a download, for browsers: {@link item} would redirect them to the page. */
  download(kind: Collection, id: Id, version: Version): string
  /** An export of a version of a record; by default of the newest version. */
  export(kind: Collection, id: Id, format: string, version?: Version): string
}

/** The same URLs at a point of history. Only URLs without a version stay those of today. */
export function addressesAt(addresses: PageUrls, point: Oid): PageUrls {
  const at = `&at=${point}`
  return {
    ...addresses,
    page: (kind, id, number) => addresses.page(kind, id, number) + (number === undefined ? '' : at),
    item: (kind, id, number) => addresses.item(kind, id, number) + at,
    file: (id, path, number) => addresses.file(id, path, number) + at,
    download: (kind, id, number) => addresses.download(kind, id, number) + at,
    export: (kind, id, format, number) =>
      addresses.export(kind, id, format, number) + (number === undefined ? '' : at),
  }
}

const recordFormats = { 1: v1, 2: v2 }

/**
 * The URLs of the pages below a mount (path prefix), and of records below the mount of the interface that belongs to
 * it.
 * @param base base URL of the request
 * @param mount mount of the pages: empty or `/metastore`
 */
export function addressesOf(base: string, mount: '' | '/metastore', version: ApiVersionNumber): PageUrls {
  const root = base + mount
  return addressesBelow(
    root,
    root + (version === 1 ? '/api/v1' : mount === '' ? '/repository/api/v2' : '/api/v2'),
    version,
  )
}

/** As {@link addressesOf}, from the base URL and mount of the pages (`root`) and of the interface (`api`). */
export function addressesBelow(root: string, api: string, version: ApiVersionNumber): PageUrls {
  const { schema, metadata } = recordFormats[version].recordTypes
  const suffix = version === 1 ? '' : '-v2'
  return {
    root,
    api,
    recordTypes: { schema: schema[0] ?? '', metadata: metadata[0] ?? '' },
    page(kind, id, number) {
      const parameter = kind === 'schema' ? 'schemaId' : 'id'
      const url = `${root}/${kind}-landing-page${suffix}?${parameter}=${encodeURIComponent(id)}`
      return number === undefined ? url : `${url}&version=${number}`
    },
    item: (kind, id, number) => recordUrl(api, kind, id, number),
    file: (id, path, number) =>
      `${api}/schemas/${id}/files/${path.split('/').map(encodeURIComponent).join('/')}?version=${number}`,
    download: (kind, id, number) => `${root}/download/${collectionNames[kind]}/${id}?version=${number}`,
    export: (kind, id, format, number) =>
      `${api}/${collectionNames[kind]}/${id}/export/${format}${number === undefined ? '' : `?version=${number}`}`,
  }
}
