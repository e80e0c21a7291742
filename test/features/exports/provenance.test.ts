import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { DataFactory, Store } from 'n3'
import { type Id, parseInstant } from '../../../src/core/value-types.js'
import type { ImportFailure } from '../../../src/features/transfer/import-report.js'
import type { InterchangeItem } from '../../../src/features/transfer/interchange-format.js'
import { openTransfer } from '../../../src/features/transfer/transfer.js'
import { documentFileName, recordDirectory } from '../../../src/store/records/repository-layout.js'
import { faultsOfProvenance } from '../../support/exports/prov-shapes.js'
import { turtleFacts } from '../../support/exports/read-facts.js'
import { readTurtle } from '../../support/exports/read-rdf.js'
import {
  base,
  etagOf,
  jsonSchema,
  metadataRecordV1,
  metadataType,
  startService,
  startServiceWithWorkTree,
  type TestService,
} from '../../support/http/test-service.js'
import { identifyWithTestSecret, userToken } from '../../support/http/test-tokens.js'
import { removeRepositories, waitUntil } from '../../support/repository/test-repository.js'

const authors = ['ada', 'bob', 'ada'] as const
/** Version of the schema that validated each version of the document. */
const schemaVersions = [1, 2, 2]

describe('The provenance of a record of three versions by two authors', () => {
  const page = `${base}/metadata-landing-page?id=paper`
  const versions = [1, 2, 3].map(version => `${page}&version=${version}`)
  let service: TestService
  let turtle: string
  /** The commits of the versions. */
  let commits: readonly string[]

  before(async () => {
    service = await startService({ identify: identifyWithTestSecret })
    const tokens = { ada: `Bearer ${await userToken('ada')}`, bob: `Bearer ${await userToken('bob')}` }
    const acl = [
      { sid: 'anonymousUser', permission: 'READ' },
      { sid: 'bob', permission: 'WRITE' },
      { sid: 'ada', permission: 'ADMINISTRATE' },
    ]
    const record = (schemaVersion: number) =>
      metadataRecordV1('https://example.org/7', 'free', { id: 'paper', acl, schemaVersion })
    const by = (author: keyof typeof tokens, test: ReturnType<TestService['postMetadata']>) =>
      test.set('Authorization', tokens[author])

    const registered = await by('ada', service.postSchema({ schemaId: 'free', acl }, jsonSchema())).expect(
      201,
    )
    const first = await by('ada', service.postMetadata(record(1), '{}')).expect(201)
    await by('ada', service.putSchema('free', etagOf(registered), undefined, `${jsonSchema()}\n`)).expect(200)
    const second = await by('bob', service.putMetadata('paper', etagOf(first), record(2), '{"b":2}')).expect(
      200,
    )
    const third = await by('ada', service.putMetadata('paper', etagOf(second), undefined, '{"c":3}')).expect(
      200,
    )
    commits = [first, second, third].map(answer => etagOf(answer).replaceAll('"', ''))
    turtle = (await service.http.get('/api/v1/metadata/paper/export/prov').expect(200)).text
  })
  after(removeRepositories)

  /** The activity that generated a version, by position of the version. */
  function activityOf(version: number): string {
    const [activity = ''] = turtleFacts(turtle, versions[version] ?? '', 'prov:wasGeneratedBy')
    return activity.slice(1, -1)
  }
  /** Facts of the activity of each version. */
  const ofActivities = (path: string) =>
    versions.map((_, version) => turtleFacts(turtle, activityOf(version), path))
  const ofCommits = async (format: string) =>
    await Promise.all(
      commits.map(async commit => (await service.repository.git('log', '-1', format, commit)).trim()),
    )
  function subjectsWith(property: string, value: string): readonly string[] {
    const graph = new Store(readTurtle(turtle))
    return graph
      .getQuads(null, DataFactory.namedNode(property), null, null)
      .filter(({ object }) => object.value === value)
      .map(({ subject }) => subject.value)
  }

  it('has each version as an entity that specialises the record', () => {
    expect(turtleFacts(turtle, page, 'rdf:type')).to.deep.equal(['<prov:Entity>'])
    for (const version of versions) {
      expect(turtleFacts(turtle, version, 'rdf:type')).to.deep.equal(['<prov:Entity>'])
      expect(turtleFacts(turtle, version, 'prov:specializationOf')).to.deep.equal([`<${page}>`])
    }
  })

  it('has each version as a revision of the one before it', () => {
    const [one, two] = versions
    expect(versions.map(version => turtleFacts(turtle, version, 'prov:wasRevisionOf'))).to.deep.equal([
      [],
      [`<${one}>`],
      [`<${two}>`],
    ])
  })

  it('has the commit of each version as its activity', () => {
    for (const [version, commit] of commits.entries()) {
      expect(activityOf(version)).to.match(new RegExp(`^urn:git:[^:]+:${commit}$`))
      expect(turtleFacts(turtle, activityOf(version), 'rdf:type')).to.deep.equal(['<prov:Activity>'])
    }
  })

  it('has the subject of each commit as its label', async () => {
    const subjects = await ofCommits('--format=%s')
    expect(ofActivities('rdfs:label')).to.deep.equal(subjects.map(subject => [subject]))
  })

  it('has the recorded time of the commit for the commit and its version', async () => {
    const recorded = await ofCommits('--format=%(trailers:key=Recorded-At,valueonly)')
    // The trailer ends with a zero that the export leaves out.
    const times = recorded.map(time => [Date.parse(time)])
    const told = (facts: readonly string[]) =>
      facts.map(fact => Date.parse(fact.replace('^^xsd:dateTime', '')))
    expect(ofActivities('prov:endedAtTime').map(told)).to.deep.equal(times)
    expect(versions.map(version => told(turtleFacts(turtle, version, 'prov:generatedAtTime')))).to.deep.equal(
      times,
    )
  })

  it('has the version of the schema that validated the document', () => {
    expect(ofActivities('prov:used')).to.deep.equal(
      schemaVersions.map(version => [`<${base}/schema-landing-page?schemaId=free&version=${version}>`]),
    )
  })

  it('has the author of each commit, who acted on behalf of the service', () => {
    expect(ofActivities('prov:wasAssociatedWith rdfs:label')).to.deep.equal(authors.map(name => [name]))
    for (const path of ['rdfs:label', 'rdf:type'])
      expect(ofActivities(`prov:wasAssociatedWith prov:actedOnBehalfOf ${path}`)).to.deep.equal(
        authors.map(() => [path === 'rdf:type' ? '<prov:SoftwareAgent>' : 'git-metastore']),
      )
  })

  it('has only classes and properties of PROV-O, and values of their ranges', async () => {
    expect(await faultsOfProvenance(turtle)).to.deep.equal([])
    for (const [right, wrong] of [
      ['prov:endedAtTime', 'prov:endedAt'],
      ['prov:wasRevisionOf', 'prov:revisionOf'],
      ['a prov:SoftwareAgent', 'a prov:Software'],
      [/"[^"]*"\^\^xsd:dateTime/, '"yesterday"'],
      [/urn:git:[^:]+:author:\w+> a/, 'urn:x> a'],
    ] as const) {
      const changed = turtle.replace(right, wrong)
      expect(changed).to.not.equal(turtle)
      expect(await faultsOfProvenance(changed), wrong).to.not.deep.equal([])
    }
  })

  it('names each author, version and commit once', () => {
    const label = 'http://www.w3.org/2000/01/rdf-schema#label'
    const type = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type'
    for (const author of new Set(authors)) expect(subjectsWith(label, author), author).to.have.length(1)
    expect(subjectsWith(type, 'http://www.w3.org/ns/prov#Agent')).to.have.length(2)
    expect(subjectsWith(type, 'http://www.w3.org/ns/prov#Activity')).to.have.length(commits.length)
    expect(subjectsWith(type, 'http://www.w3.org/ns/prov#Entity')).to.have.members([page, ...versions])
  })
})

describe('The provenance of a record that was imported, and then committed with plain git', () => {
  const page = `${base}/metadata-landing-page?id=paper`
  const path = join(recordDirectory('metadata', 'paper' as Id), documentFileName('metadata', 'JSON'))
  let service: TestService
  let turtle: string

  /** Facts of each version. */
  const ofVersions = (facts: string) =>
    [1, 2, 3].map(version => turtleFacts(turtle, `${page}&version=${version}`, facts))
  /** Facts of the commit of each version. */
  const ofActivities = (facts: string) => ofVersions(`prov:wasGeneratedBy ${facts}`)

  before(async () => {
    service = await startServiceWithWorkTree()
    await service.postSchema({ schemaId: 'free' }, jsonSchema()).expect(201)
    await importItem({
      kind: 'metadata',
      id: 'paper' as Id,
      time: parseInstant('2019-02-02T00:00:00Z', 'time'),
      author: { name: 'Ada', email: 'ada@example.org' },
      state: {
        record: {
          schema: { schemaId: 'free' },
          relatedIdentifiers: [
            { value: 'https://example.org/7', identifierType: 'URL', relationType: 'IS_METADATA_FOR' },
          ],
        },
        document: Buffer.from('{}'),
        files: new Map(),
      },
    })
    const { repository } = service
    await waitUntil('the work tree has the document', async () => existsSync(join(repository.dir, path)))
    await repository.commit('Edit by hand\n\nOriginal-Time: 5', { [path]: '{"by":"Jane"}' })
    await writeFile(join(repository.dir, path), '{"by":"Ada"}')
    await repository.patiently('commit', '-q', '-a', '-m', 'Edit again', '--author=Ada <ada@example.org>')
    await waitUntil('the commits are served', async () => {
      const { body } = await service.http.get('/api/v1/metadata/paper')
      return body.by === 'Ada'
    })
    turtle = (await service.http.get('/api/v1/metadata/paper/export/prov').expect(200)).text
  })
  after(removeRepositories)

  async function importItem(content: InterchangeItem): Promise<void> {
    async function* source() {
      yield { place: 'line 1', content }
    }
    const failed = ({ problem }: ImportFailure) => {
      throw problem
    }
    const transfer = openTransfer(service.services.parts)
    await transfer.import(source(), { update: false, strict: true, failed })
  }

  it('has the original time for the version, and the recorded time for the end of the commit', async () => {
    const lastUpdate = async (version: number) => {
      const { body } = await service.http
        .get(`/api/v1/metadata/paper?version=${version}`)
        .set('Accept', metadataType)
        .expect(200)
      return Date.parse(body.lastUpdate)
    }
    const times = (facts: string) =>
      ofVersions(facts).map(([fact = '']) => Date.parse(fact.replace('^^xsd:dateTime', '')))
    const updates = await Promise.all([1, 2, 3].map(lastUpdate))

    expect(times('prov:wasGeneratedBy prov:endedAtTime')).to.deep.equal(updates)
    expect(times('prov:generatedAtTime')).to.deep.equal([Date.UTC(2019, 1, 2), ...updates.slice(1)])
  })

  it('has only classes and properties of PROV-O, and values of their ranges', async () => {
    expect(await faultsOfProvenance(turtle)).to.deep.equal([])
  })

  it('lets an author act on behalf of the service only in the commits of the service', () => {
    expect(ofActivities('prov:wasAssociatedWith rdfs:label')).to.deep.equal([['Ada'], ['Jane'], ['Ada']])
    expect(ofActivities('prov:wasAssociatedWith prov:actedOnBehalfOf rdfs:label')[1]).to.deep.equal([])
    const [imported] = ofVersions('prov:wasGeneratedBy')
    const delegation = 'prov:wasAssociatedWith prov:qualifiedDelegation'
    expect(ofActivities(`${delegation} prov:hadActivity`)).to.deep.equal([imported, [], imported])
    expect(ofActivities(`${delegation} prov:agent rdfs:label`)[0]).to.deep.equal(['git-metastore'])
  })
})
