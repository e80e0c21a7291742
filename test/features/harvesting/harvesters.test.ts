// test-schedule: first
import { execFile, spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect } from 'chai'
import type * as NpmHarvester from 'oai-pmh'
import {
  jsonSchema,
  metadataRecordV1,
  startService,
  type TestService,
} from '../../support/http/test-service.js'
import { identifyWithTestSecret, secret, signToken } from '../../support/http/test-tokens.js'
import { askOai, harvestAll, oaiOptions } from '../../support/oai-pmh/oai-client.js'
import { isLongForm } from '../../support/program/long-form.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

/** The header of a record in a harvest. */
interface Told {
  readonly id: string
  readonly datestamp: string
  readonly isDeleted: boolean
}

/** Harvests a repository. @param from as in the protocol */
type Harvest = (url: string, from: string | undefined) => Promise<readonly Told[]>

const count = isLongForm ? 100_000 : 800
const page = isLongForm ? 500 : 24

const { OaiPmh } = createRequire(import.meta.url)('oai-pmh') as typeof NpmHarvester

const byNpm: Harvest = async (url, from) => {
  const told: Told[] = []
  const client = new OaiPmh(url, { retryMin: 0 })
  const options = { metadataPrefix: 'oai_dc', ...(from !== undefined && { from }) }
  for await (const { header } of client.listRecords(options))
    told.push({
      id: header.identifier,
      datestamp: header.datestamp,
      isDeleted: header.$?.status === 'deleted',
    })
  return told
}

const perlProgram = `
use strict; use warnings; use HTTP::OAI;
my ($url, @arguments) = @ARGV;
my $harvester = HTTP::OAI::Harvester->new(baseURL => $url);
my $answer = $harvester->ListRecords(
  @arguments,
  onRecord => sub {
    my ($record) = @_;
    print join(' ', $record->identifier, $record->datestamp, $record->is_deleted ? 1 : 0), "\\n";
  });
die $answer->message if $answer->is_error;
`

const byPerl: Harvest = async (url, from) =>
  await listWithPerl(url, ['metadataPrefix', 'oai_dc', ...(from === undefined ? [] : ['from', from])])

/** Harvests with the Perl program. @param request names and values of the arguments */
async function listWithPerl(url: string, request: readonly string[]): Promise<readonly Told[]> {
  const { stdout } = await promisify(execFile)('perl', ['-e', perlProgram, url, ...request], {
    maxBuffer: 2 ** 28,
  })
  return stdout
    .split('\n')
    .filter(line => line !== '')
    .map(line => {
      const [id = '', datestamp = '', deleted] = line.split(' ')
      return { id, datestamp, isDeleted: deleted === '1' }
    })
}

const hasPerlHarvester = spawnSync('perl', ['-MHTTP::OAI', '-e', '1']).status === 0

const harvesters: readonly (readonly [name: string, harvest: Harvest, isThere: boolean])[] = [
  ['oai-pmh of npm', byNpm, true],
  ['HTTP::OAI of Perl', byPerl, hasPerlHarvester],
]

describe('independent harvesters', function () {
  this.timeout(isLongForm ? 3_600_000 : 300_000)
  let service: TestService
  let owner: string
  let url: string
  let created = 0
  const anyone = [{ sid: 'anonymousUser', permission: 'READ' }]

  before(async () => {
    service = await startService({
      identify: identifyWithTestSecret,
      features: { ...oaiOptions, 'oai-page': page },
    })
    // The long form takes longer than the lifetime of other test tokens.
    owner = await signToken({ username: 'owner', roles: '["ROLE_USER"]' }, secret, 24 * 3600)
    await service
      .postSchema({ schemaId: 'plain', acl: anyone }, jsonSchema())
      .auth(owner, { type: 'bearer' })
      .expect(201)
    for (let begun = 0; begun < count; begun += 50)
      await Promise.all(Array.from({ length: 50 }, () => create()))
    url = `http://127.0.0.1:${service.port}/oaipmh`
  })
  after(removeRepositories)

  const record = (id: string, more: object) =>
    metadataRecordV1(`https://example.org/${id}`, 'plain', { id, ...more })

  async function create(): Promise<void> {
    const id = `r${created++}`
    await service
      .postMetadata(record(id, { acl: anyone }), '{}')
      .auth(owner, { type: 'bearer' })
      .expect(201)
  }
  const put = (id: string, more: object) =>
    service.putMetadata(id, '*', record(id, more)).auth(owner, { type: 'bearer' })
  const remove = (id: string) =>
    service.http.delete(`/api/v1/metadata/${id}`).auth(owner, { type: 'bearer' }).set('If-Match', '*')

  /** Creates, updates, deletes, hides and shows records until it is stopped. */
  function writeMeanwhile(): { stop(): Promise<void> } {
    let stopped = false
    let seed = 7
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return seed % below
    }
    async function write(): Promise<void> {
      for (let round = 0; !stopped; round++) {
        const id = `r${random(created)}`
        // Requests for deleted records get 404.
        if (round % 5 === 0) await create()
        else if (round % 5 === 1) await remove(id)
        else if (round % 5 === 2) await put(id, { acl: [{ sid: 'owner', permission: 'ADMINISTRATE' }] })
        else if (round % 5 === 3)
          await put(id, { acl: [{ sid: 'owner', permission: 'ADMINISTRATE' }, ...anyone] })
        else await put(id, { licenseUri: `https://example.org/round/${round}` })
        // A few writes between two pages are enough.
        if (!isLongForm) await sleep(5)
      }
    }
    const running = write()
    return {
      async stop() {
        stopped = true
        await running
      },
    }
  }

  for (const [name, harvest, isThere] of harvesters) {
    it(`${name} gets every record, and none twice in one harvest, while others write`, async function () {
      if (!isThere) {
        console.error(`SKIPPED: a harvest by ${name}. This machine has no libhttp-oai-perl.`)
        return this.skip()
      }
      const copy = new Map<string, Told>()
      const keep = (told: readonly Told[]) => {
        const ids = told.map(({ id }) => id)
        expect(new Set(ids).size, 'an id appears twice').to.equal(ids.length)
        for (const each of told) copy.set(each.id, each)
      }
      const now = async () => (await askOai(service, 'verb=Identify')).responseDate

      const writing = writeMeanwhile()
      let from: string | undefined
      try {
        for (let round = 0; round < 3; round++) {
          const begun = await now()
          keep(await harvest(url, from))
          from = begun
        }
      } finally {
        await writing.stop()
      }
      keep(await harvest(url, from))

      const truth = (await harvestAll(service, 'verb=ListIdentifiers&metadataPrefix=oai_dc')).flatMap(
        ({ records }) => records,
      )
      const told = ({ id, datestamp, isDeleted }: Told) => `${id} ${datestamp} ${isDeleted}`
      const expected = truth.map(each => told({ ...each, id: each.identifier }))
      expect([...copy.values()].map(told)).to.have.members(expected)
      expect(truth.some(({ isDeleted }) => isDeleted)).to.equal(true)
      await expectSameAsLists(truth)
    })
  }

  describe('reach the end of a list of which the rest became unreadable', () => {
    const rest = ['rest-1', 'rest-2', 'rest-3']
    const ids = [...Array.from({ length: page }, (_, index) => `kept-${index}`), ...rest]
    const fading = (id: string, more: object) =>
      metadataRecordV1(`https://example.org/${id}`, 'fading', { id, ...more })
    const told: string[] = []
    let secondPart: string

    before(async () => {
      await service
        .postSchema({ schemaId: 'fading', acl: anyone }, jsonSchema())
        .auth(owner, { type: 'bearer' })
        .expect(201)
      for (const id of ids)
        await service
          .postMetadata(fading(id, { acl: anyone }), '{}')
          .auth(owner, { type: 'bearer' })
          .expect(201)
      const { token } = await askOai(service, 'verb=ListRecords&metadataPrefix=oai_dc&set=schema:fading')
      secondPart = token?.text ?? ''
      const request = { metadataPrefix: 'oai_dc', set: 'schema:fading' }
      for await (const { header } of new OaiPmh(url, { retryMin: 0 }).listRecords(request)) {
        // The harvester has the first part, and has not asked for the second part yet.
        if (told.length === 0) await hideRest()
        told.push(header.$?.status === 'deleted' ? `-${header.identifier}` : header.identifier)
      }
    })

    async function hideRest(): Promise<void> {
      const acl = [{ sid: 'owner', permission: 'ADMINISTRATE' }]
      for (const id of rest)
        await service.putMetadata(id, '*', fading(id, { acl })).auth(owner, { type: 'bearer' }).expect(200)
    }

    it('amid a harvest: oai-pmh of npm', () => {
      expect(told).to.deep.equal(ids.map(id => (rest.includes(id) ? `-${id}` : id)))
    })

    it('from an older token: HTTP::OAI of Perl', async function () {
      if (!hasPerlHarvester) {
        console.error(
          'SKIPPED: the end of a list by HTTP::OAI of Perl. This machine has no libhttp-oai-perl.',
        )
        this.skip()
      }
      const byToken = await listWithPerl(url, ['resumptionToken', secondPart])
      expect(byToken.map(({ id, isDeleted }) => `${isDeleted ? '-' : ''}${id}`)).to.deep.equal(
        rest.map(id => `-${id}`),
      )
    })
  })

  /** The live records of the harvest are those that anyone may read in the interface. */
  async function expectSameAsLists(
    truth: readonly { readonly identifier: string; readonly isDeleted: boolean }[],
  ): Promise<void> {
    const listed: string[] = []
    for (let at = 0; ; at++) {
      const { body } = await service.http.get(`/api/v1/metadata?size=2000&page=${at}`)
      if (!Array.isArray(body) || body.length === 0) break
      listed.push(...body.map(({ id }: { id: string }) => id))
    }
    const live = truth.filter(({ isDeleted }) => !isDeleted).map(({ identifier }) => identifier)
    expect(live).to.have.members(listed)
  }
})
