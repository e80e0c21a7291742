import { expect } from 'chai'
import type request from 'supertest'
import type { Id } from '../../../src/core/value-types.js'
import { recordDirectory } from '../../../src/store/records/repository-layout.js'
import {
  type Asked,
  type Difference,
  readDifferences,
} from '../../support/documentation/documented-differences.js'
import {
  apiClient,
  type Client,
  formFile,
  type Json,
  type RawPart,
  version1,
  version2,
} from '../../support/http/api-versions.js'
import {
  etagOf,
  jsonSchema,
  noteXml,
  noteXsdText,
  startServiceWithWorkTree,
  type TestService,
} from '../../support/http/test-service.js'
import { identifyWithTestSecret, userToken } from '../../support/http/test-tokens.js'
import { oaiOptions } from '../../support/oai-pmh/oai-client.js'
import { removeRepositories, waitUntil } from '../../support/repository/test-repository.js'

const differences = await readDifferences()
const sections = [...new Set(differences.map(({ section }) => section))]
const withAuthentication = 'With authentication'

describe('docs/use/differences.md', () => {
  it('has rows in each of its tables', () => {
    expect(differences).to.have.length.above(40)
    expect(sections).to.include(withAuthentication)
  })

  for (const section of sections) {
    describe(section, () => {
      let service: TestService
      before(async () => {
        service = await start(section)
      })
      after(removeRepositories)
      for (const row of differences.filter(one => one.section === section))
        it(`${row.what} (line ${row.line})`, () => compare(service, row))
    })
  }
})

/** Preparations that a row can name. @param named maps ids of the document to those of the row */
const situations: Readonly<Record<string, (service: TestService, named: Named) => Promise<void>>> = {
  'with 30 documents more': async service => {
    const client = apiClient(service, version1())
    const numbers = Array.from({ length: 30 }, (_, number) => `https://example.org/more/${number}`)
    await Promise.all(numbers.map(about => client.postMetadata(about, 'report', report).expect(201)))
  },
  'with 20 schemas more of 900,000 bytes each': async service => {
    const client = apiClient(service, version1())
    const comment = 'x'.repeat(900_000)
    const numbers = Array.from({ length: 20 }, (_, number) => `large-${10 + number}`)
    await Promise.all(numbers.map(id => client.postSchema(id, jsonSchema(), { comment }).expect(201)))
  },
  'after a commit that breaks `first`': (service, named) =>
    commit(service, { [`${recordDirectory('metadata', named('first') as Id)}/record.json`]: '{' }),
  'after a commit that removes the file of `note`': service =>
    commit(service, { 'schemas/note/schema.xsd': null }),
}

async function commit(service: TestService, files: Readonly<Record<string, string | null>>): Promise<void> {
  const faults = async () => (await service.http.get('/health')).body.faults.length as number
  const before = await faults()
  await service.services.workTreeUpToDate()
  await service.repository.commit('Made with git', files)
  await waitUntil('the fault', async () => (await faults()) > before)
}

/** Statements in words about an answer that a row can make. */
const statements: Readonly<
  Record<string, (service: TestService, before: State, answer: request.Response) => Promise<void>>
> = {
  'no commit': async (service, { head }) => {
    expect(await service.head()).to.equal(head)
  },
  'the same `ETag`': async (_service, { etag }, answer) => {
    expect(etagOf(answer)).to.equal(etag)
  },
  'the `ETag` is the commit that made the state': async ({ repository }, _before, answer) => {
    const made = await repository.git(
      'log',
      '-1',
      '--format=%H',
      '--',
      recordDirectory('metadata', 'first' as Id),
    )
    expect(etagOf(answer)).to.equal(`"${made}"`)
  },
}

interface State {
  readonly head: string
  /** ETag of the requested record. */
  readonly etag: string | undefined
}

/** Starts a server with the schemas and documents that docs/use/differences.md describes. */
async function start(section: string): Promise<TestService> {
  const isOpen = section !== withAuthentication
  const service = await startServiceWithWorkTree({
    features: oaiOptions,
    ...(!isOpen && { identify: identifyWithTestSecret }),
  })
  const client = apiClient(service, version1())
  await given(section, client.postSchema('report', reportSchema))
  await given(section, client.postSchema('note', noteXsdText, readableBy(section, 'anonymousUser')))
  await giveDocuments(service, section, text => text)
  await given(section, client.put('schemas', 'report', '*', undefined, `${reportSchema}\n`), 200)
  return service
}

async function giveDocuments(service: TestService, section: string, named: Named): Promise<void> {
  const client = apiClient(service, version1())
  const schema = { schemaVersion: 1 }
  const first = { id: named('first'), ...schema }
  await given(section, client.postMetadata(named(resource(1)), 'report', report, first))
  const letter = { id: named('letter'), ...readableBy(section, 'PUBLIC') }
  await given(section, client.postMetadata(named(resource(2)), 'note', noteXml, letter))
}

async function given(section: string, sent: request.Test, status = 201): Promise<void> {
  if (section === withAuthentication) sent.set('Authorization', `Bearer ${await userToken('alice')}`)
  await sent.expect(status)
}

function readableBy(section: string, sid: string): Json {
  const acl = [
    { sid: 'alice', permission: 'ADMINISTRATE' },
    { sid, permission: 'READ' },
  ]
  return section === withAuthentication ? { acl } : {}
}

const reportSchema = jsonSchema('title')
const report = '{"title":"A report"}'
const resource = (number: number) => `https://example.org/${number}`

/** Maps the ids and resources in a text of the document to those of a row. */
type Named = (text: string) => string

/** Returns the names for a row. A row that stores something has its own documents, so rows do not affect each other. */
function namesOf({ line, answers, requests }: Difference): Named {
  const isRefused = answers.every(({ statuses }) => statuses.every(({ status }) => status >= 400))
  if (isRefused || requests.every(({ method }) => method === 'GET')) return text => text
  return text =>
    text
      .replaceAll(/\b(?:first|letter|second)\b/g, id => `${id}-${line}`)
      .replaceAll(/urn:example:|https:\/\/example\.org\//g, begin => `${begin}${line}-`)
}

async function compare(service: TestService, row: Difference): Promise<void> {
  const named = namesOf(row)
  if (named('first') !== 'first') await giveDocuments(service, row.section, named)
  if (row.situation !== undefined) {
    const prepare = situations[row.situation]
    if (!prepare) throw new Error(`Line ${row.line}: no test makes the situation "${row.situation}".`)
    await prepare(service, named)
  }
  for (const [number, asked] of row.requests.entries()) {
    const path = named(asked.path)
    const where = `line ${row.line}, ${asked.method} ${path}`
    const before = await stateOf(service, path)
    const send = await built(service, { ...asked, path }, named, before.etag)
    const answers = await Promise.all(Array.from({ length: asked.times }, send))
    const { statuses, clauses } = row.answers[number] ?? { statuses: [], clauses: [] }
    const counted = statuses.flatMap(({ status, times }) => Array<number>(times).fill(status))
    const texts = answers.map(({ text }) => text.slice(0, 1000)).join('\n')
    expect(answers.map(({ status }) => status).toSorted(), `${where}: ${texts}`).to.deep.equal(
      counted.toSorted(),
    )
    if (counted.every(status => status >= 400)) expect(await service.head(), where).to.equal(before.head)
    for (const answer of answers)
      for (const clause of clauses) await expectClause(service, before, named(clause), answer, where)
  }
}

async function stateOf(service: TestService, path: string): Promise<State> {
  const [type = ''] = version1().recordTypes.metadata
  const { headers } = await service.http.get(path).set('Accept', type)
  return { head: await service.head(), etag: headers.etag }
}

async function expectClause(
  service: TestService,
  before: State,
  clause: string,
  answer: request.Response,
  where: string,
): Promise<void> {
  const inWords = statements[clause]
  if (inWords) return await inWords(service, before, answer)
  const [, no, code] = /^(no )?`([^`]+)`$/.exec(clause) ?? []
  if (code === undefined) throw new Error(`${where}: no test checks "${clause}".`)
  const [, header, value = ''] = /^([A-Z][A-Za-z-]+): (.+)$/.exec(code) ?? []
  const text = header === undefined ? answer.text : String(answer.headers[header.toLowerCase()] ?? '')
  const pattern = header === undefined ? patternOf(code) : `^${patternOf(value)}$`
  expect(new RegExp(pattern).test(text), `${where}: ${clause} in ${text.slice(0, 2000)}`).to.equal(!no)
}

/** Makes a pattern in which `…` matches any text. */
function patternOf(text: string): string {
  const literal = text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return literal.replaceAll('…', '[\\s\\S]*?').replaceAll('\\{milliseconds\\}', '\\d{13}')
}

/** Makes a request of the document and replaces `…`. @param etag of the requested record */
async function built(
  service: TestService,
  asked: Asked,
  named: Named,
  etag: string | undefined,
): Promise<() => request.Test> {
  const { path, method, parts } = asked
  const headers: Record<string, string> = {}
  for (const [name, value] of asked.headers) {
    const [, user] = /^Bearer <(.+)>$/.exec(value) ?? []
    if (user !== undefined) headers[name] = `Bearer ${await userToken(user)}`
    else headers[name] = value === '"…"' ? (etag ?? '') : value
  }
  const client = apiClient(service, path.startsWith('/api/v2') ? version2('/api/v2') : version1())
  const below = path.slice(client.interface.mount.length)
  const form = parts.map(([name, value]) => partOf(client, below, name, value, named))
  return () => {
    if (method === 'POST' && headers['Content-Type'] === 'application/json')
      return service.http.post(path).set(headers)
    if (method === 'POST') return client.send('post', below, form, headers)
    if (method === 'PUT') return client.send('put', below, form, headers)
    if (method === 'GET') return service.http.get(path).set(headers)
    if (method === 'DELETE') return service.http.delete(path).set(headers)
    throw new Error(`No test sends ${method} ${path}.`)
  }
}

function partOf(client: Client, path: string, name: string, value: string, named: Named): RawPart {
  if (name !== 'record') return formFile(name, value === '…' ? report : value.replace('…', noteXml))
  if (!value.endsWith(',…}')) return formFile(name, named(value))
  const given = JSON.parse(named(value).replace(',…}', '}')) as Json
  const { schema, metadata } = client.interface
  const smallest = path.startsWith('/schemas') ? schema('second') : metadata(named(resource(3)), 'report')
  return formFile(name, { ...smallest, ...given })
}
