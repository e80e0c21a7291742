import { isNobody } from '../../../pages/html/spoken-names.js'
import { answered, client, fetchAsCaller, serviceUrl } from '../api/client.js'
import { point, withPoint } from '../api/point.js'
import type { MetastoreRecord, RecordName } from '../api/records.js'

/** What a record and its document say about what they describe, for people. */
export interface Description {
  readonly title?: string | undefined
  readonly people: readonly string[]
  readonly year?: string | undefined
  readonly licences: readonly NamedAddress[]
  readonly keywords: readonly string[]
  readonly texts: readonly string[]
}

export interface NamedAddress {
  readonly name: string
  /** From a record or a document, so of any scheme. */
  readonly url?: string | undefined
}

/** The members of DataCite JSON that pages show. Values that stand for missing ones have no source. */
interface SourcedDescription {
  readonly titles?: readonly { readonly title: string }[]
  readonly creators?: readonly { readonly name: string }[]
  readonly publicationYear?: string | number
  readonly rightsList?: readonly { readonly rights?: string; readonly rightsUri?: string }[]
  readonly subjects?: readonly { readonly subject: string }[]
  readonly descriptions?: readonly { readonly description: string }[]
  readonly sources: Readonly<Record<string, unknown>>
}

/** What a version of a document and its record say. */
export async function readDescription(
  id: string,
  version: number,
  signal: AbortSignal,
): Promise<Description> {
  const params = { path: { id }, query: { version } }
  const answer = await answered(client.GET('/api/v2/metadata/{id}/description', { params, signal }))
  const described = answer.data as unknown as SourcedDescription
  const sources = Object.keys(described.sources)
  const isSourced = (place: string) => sources.some(each => each === place || each.startsWith(`${place}/`))
  const sourced = <T>(name: keyof SourcedDescription, values: readonly T[] | undefined): readonly T[] =>
    (values ?? []).filter((_, index) => isSourced(`/${name}/${index}`))
  return {
    title: sourced('titles', described.titles)[0]?.title,
    people: sourced('creators', described.creators)
      .map(({ name }) => name)
      .filter(name => !isNobody(name)),
    ...(isSourced('/publicationYear') && { year: String(described.publicationYear) }),
    licences: sourced('rightsList', described.rightsList).map(({ rights, rightsUri }) => ({
      name: rights ?? rightsUri ?? '',
      url: rightsUri,
    })),
    keywords: sourced('subjects', described.subjects).map(({ subject }) => subject),
    texts: sourced('descriptions', described.descriptions).map(({ description }) => description),
  }
}

/**
 * What the record of a schema says about it. A schema has no description of its own. A record that was stored without a
 * login names no creator.
 */
export function descriptionOf(record: MetastoreRecord): Description {
  const { creators = [], publicationYear, rights = [], subjects = [], descriptions = [] } = record
  return {
    people: creators
      .map(({ givenName, familyName }) => [givenName, familyName].filter(Boolean).join(' '))
      .filter(name => !isNobody(name)),
    year: publicationYear === undefined ? undefined : String(publicationYear),
    licences: rights.map(({ schemeId, schemeUri }) => ({
      name: schemeId ?? schemeUri ?? '',
      url: schemeUri,
    })),
    keywords: subjects.flatMap(({ value }) => value ?? []),
    texts: descriptions.map(({ description }) => description),
  }
}

/** A version of a record in a format of other programs, as text. @param format such as `bibtex` */
export async function readExport(
  { collection, id }: RecordName,
  version: number,
  format: string,
  signal: AbortSignal,
): Promise<string> {
  const path = `api/v2/${collection}/${encodeURIComponent(id)}/export/${format}?version=${version}`
  return await (await read(path, signal)).text()
}

/** The document of a version as a file, with the name that the server gives it. */
export async function readAsFile(
  { collection, id }: RecordName,
  version: number,
): Promise<{ readonly content: Blob; readonly name: string }> {
  const response = await read(`download/${collection}/${encodeURIComponent(id)}?version=${version}`)
  const [, name = id] = /filename="([^"]+)"/.exec(response.headers.get('Content-Disposition') ?? '') ?? []
  return { content: await response.blob(), name }
}

/** @param path below the service @throws Refusal */
async function read(path: string, signal?: AbortSignal): Promise<Response> {
  const url = new URL(path, serviceUrl).href
  const response = await fetchAsCaller(new URL(point === undefined ? url : withPoint(url)), {
    ...(signal && { signal }),
    headers: { Accept: '*/*' },
  })
  const { error } = response.ok ? { error: undefined } : await problemOf(response)
  await answered(Promise.resolve({ response, error }))
  return response
}

async function problemOf(response: Response): Promise<{ readonly error: unknown }> {
  const isProblem = response.headers.get('Content-Type')?.includes('json') ?? false
  return { error: isProblem ? await response.json() : undefined }
}
