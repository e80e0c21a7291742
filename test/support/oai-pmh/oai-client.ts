import { expect } from 'chai'
import { XmlDocument, type XmlElement, type XmlNode } from 'libxml2-wasm'
import type { Test } from 'supertest'
import type { TestService } from '../http/test-service.js'
import { faultsByStandards } from './oai-standards.js'

/** The options of test servers. */
export const oaiOptions = { 'oai-admin': 'admin@example.org' }

export interface OaiRecord {
  readonly identifier: string
  readonly datestamp: string
  readonly isDeleted: boolean
  readonly sets: readonly string[]
  /** The XML text inside the element `metadata`. */
  readonly metadata?: string
}

export interface OaiAnswer {
  readonly text: string
  /** Codes of errors. */
  readonly errors: readonly string[]
  readonly records: readonly OaiRecord[]
  /** Undefined if the answer has no resumption token element. */
  readonly token?: { readonly text: string; readonly cursor: string; readonly size: string }
  readonly responseDate: string
  /** Attributes of the element `request`. */
  readonly request: Readonly<Record<string, string>>
  /** Returns the texts of all elements with this name. */
  all(name: string): readonly string[]
}

const namespaces = { o: 'http://www.openarchives.org/OAI/2.0/' }

/** Sends a request and checks the status, the media type and the official schemas. */
export async function askOai(
  { http }: Pick<TestService, 'http'>,
  query: string,
  { bearer, mount = '' }: { readonly bearer?: string | undefined; readonly mount?: string } = {},
): Promise<OaiAnswer> {
  const sent = http.get(`${mount}/oaipmh${query === '' ? '' : `?${query}`}`)
  return await readOai(bearer === undefined ? sent : sent.set('Authorization', `Bearer ${bearer}`))
}

export async function readOai(sent: Test): Promise<OaiAnswer> {
  const { status, headers, text } = await sent.buffer(true)
  expect(status, text).to.equal(200)
  expect(headers['content-type']).to.equal('text/xml; charset=utf-8')
  return parseOai(text)
}

export function parseOai(text: string): OaiAnswer {
  expect(faultsByStandards(text), text).to.deep.equal([])
  const document = XmlDocument.fromString(text)
  try {
    const find = (path: string, from: XmlElement = document.root) => from.find(path, namespaces) as XmlNode[]
    const texts = (path: string, from?: XmlElement) => find(path, from).map(node => node.content)
    const request = find('o:request')[0] as XmlElement
    const token = find('//o:resumptionToken')[0] as XmlElement | undefined
    const names = new Map<string, readonly string[]>()
    for (const node of find('//o:*') as XmlElement[])
      names.set(node.name, [...(names.get(node.name) ?? []), node.content])
    return {
      text,
      errors: find('o:error').map(node => attributeOf(node as XmlElement, 'code')),
      records: (find('//o:header') as XmlElement[]).map(header => {
        const metadata = find('../o:metadata/*', header)[0] as XmlElement | undefined
        return {
          identifier: texts('o:identifier', header)[0] ?? '',
          datestamp: texts('o:datestamp', header)[0] ?? '',
          isDeleted: attributeOf(header, 'status') === 'deleted',
          sets: texts('o:setSpec', header),
          ...(metadata && { metadata: metadata.toString() }),
        }
      }),
      ...(token && {
        token: {
          text: token.content,
          cursor: attributeOf(token, 'cursor'),
          size: attributeOf(token, 'completeListSize'),
        },
      }),
      responseDate: texts('o:responseDate')[0] ?? '',
      request: Object.fromEntries(request.attrs.map(({ name, value }) => [name, value])),
      all: name => names.get(name) ?? [],
    }
  } finally {
    document.dispose()
  }
}

function attributeOf(element: XmlElement, name: string): string {
  return element.attr(name)?.value ?? ''
}

/** Reads all parts of a list. @returns the parts */
export async function harvestAll(
  service: Pick<TestService, 'http'>,
  query: string,
  options: Parameters<typeof askOai>[2] = {},
  between: (part: number) => Promise<void> = () => Promise.resolve(),
): Promise<readonly OaiAnswer[]> {
  const verb = /verb=\w+/.exec(query)?.[0] ?? ''
  const parts = [await askOai(service, query, options)]
  for (;;) {
    const token = parts.at(-1)?.token?.text
    if (!token) return parts
    await between(parts.length)
    parts.push(await askOai(service, `${verb}&resumptionToken=${encodeURIComponent(token)}`, options))
  }
}

/** Returns the ids of a list in order. A deleted record has a minus before its id. */
export function idsOf(parts: readonly OaiAnswer[]): readonly string[] {
  return parts.flatMap(({ records }) =>
    records.map(({ identifier, isDeleted }) => (isDeleted ? `-${identifier}` : identifier)),
  )
}
