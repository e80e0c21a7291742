import { expect } from 'chai'
import { DataFactory, Store } from 'n3'
import { turtleFacts } from '../../support/exports/read-facts.js'
import { readTurtle } from '../../support/exports/read-rdf.js'
import {
  base,
  etagOf,
  jsonSchema,
  metadataRecordV1,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { identifyWithTestSecret, userToken } from '../../support/http/test-tokens.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

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

  /** The activity of a version, by the commit that made it. */
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

  it('has the time that the commit was recorded at, for the commit and its version', async () => {
    const recorded = await ofCommits('--format=%(trailers:key=Recorded-At,valueonly)')
    const times = recorded.map(time => [`${time}^^xsd:dateTime`])
    expect(ofActivities('prov:endedAtTime')).to.deep.equal(times)
    expect(versions.map(version => turtleFacts(turtle, version, 'prov:generatedAtTime'))).to.deep.equal(times)
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

  it('names each author, version and commit once', () => {
    const label = 'http://www.w3.org/2000/01/rdf-schema#label'
    const type = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type'
    for (const author of new Set(authors)) expect(subjectsWith(label, author), author).to.have.length(1)
    expect(subjectsWith(type, 'http://www.w3.org/ns/prov#Agent')).to.have.length(2)
    expect(subjectsWith(type, 'http://www.w3.org/ns/prov#Activity')).to.have.length(commits.length)
    expect(subjectsWith(type, 'http://www.w3.org/ns/prov#Entity')).to.have.members([page, ...versions])
  })
})
