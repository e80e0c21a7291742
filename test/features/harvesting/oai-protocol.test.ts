import { expect } from 'chai'
import fc from 'fast-check'
import { anyCharacter } from '../../support/data/any-character.js'
import {
  jsonSchema,
  metadataRecordV1,
  noteXml,
  noteXsdText,
  startService,
  startServiceWithWorkTree,
  type TestService,
} from '../../support/http/test-service.js'
import { identifyWithTestSecret, userToken } from '../../support/http/test-tokens.js'
import { askOai, harvestAll, idsOf, oaiOptions, readOai } from '../../support/oai-pmh/oai-client.js'
import { hasStandards } from '../../support/oai-pmh/oai-standards.js'
import { hasXmllint } from '../../support/oai-pmh/xmllint.js'
import { isLongForm } from '../../support/program/long-form.js'
import { removeRepositories, waitUntil } from '../../support/repository/test-repository.js'

const oai = { ...oaiOptions, 'oai-page': 3, 'oai-namespace': 'example.org' }
const records = 7

describe('OAI-PMH', () => {
  let service: TestService
  const ask = (query: string) => askOai(service, query)

  before(async () => {
    service = await startService({ features: oai })
    await service.postSchema({ schemaId: 'note', type: 'XML' }, noteXsdText).expect(201)
    await service.postSchema({ schemaId: 'plain' }, jsonSchema('title')).expect(201)
    for (let at = 1; at <= records; at++) {
      const isXml = at % 2 === 0
      const record = metadataRecordV1(`https://example.org/${at}`, isXml ? 'note' : 'plain', { id: `r${at}` })
      await service.postMetadata(record, isXml ? noteXml : '{"title":"x"}').expect(201)
    }
  })
  after(removeRepositories)

  it('is valid by the official schemas', function () {
    if (hasStandards) return
    console.error(
      'SKIPPED: the validation of OAI-PMH answers against the official schemas. STANDARDS_DIR is not set.',
    )
    this.skip()
  })

  it('is valid by xmllint too', function () {
    if (!hasXmllint()) this.skip()
  })

  describe('refuses', () => {
    const refused: readonly (readonly [query: string, ...codes: string[]])[] = [
      ['', 'badVerb'],
      ['verb=', 'badVerb'],
      ['verb=Nothing', 'badVerb'],
      ['verb=Identify&verb=Identify', 'badVerb'],
      ['verb=listrecords&metadataPrefix=oai_dc', 'badVerb'],
      ['verb=Identify&metadataPrefix=oai_dc', 'badArgument'],
      ['verb=Identify&at=main', 'badArgument'],
      ['verb=ListRecords', 'badArgument'],
      ['verb=ListRecords&metadataPrefx=oai_dc', 'badArgument', 'badArgument'],
      ['verb=ListRecords&metadataPrefix=oai_dc&metadataPrefix=oai_dc', 'badArgument', 'badArgument'],
      ['verb=ListRecords&metadataPrefix=', 'badArgument'],
      ['verb=ListRecords&metadataPrefix=oai_dc&size=5', 'badArgument'],
      ['verb=ListRecords&metadataPrefix=oai_dc&from=2026-01-01&until=2026-01-01T00:00:00Z', 'badArgument'],
      ['verb=ListRecords&metadataPrefix=oai_dc&from=2026-01-02&until=2026-01-01', 'badArgument'],
      ['verb=ListRecords&metadataPrefix=oai_dc&from=2026-02-30', 'badArgument'],
      ['verb=ListRecords&metadataPrefix=oai_dc&from=2026-01-01T24:00:00Z', 'badArgument'],
      ['verb=ListRecords&metadataPrefix=oai_dc&from=2026-01-01T00:00:00.5Z', 'badArgument'],
      ['verb=ListRecords&metadataPrefix=oai_dc&from=2026', 'badArgument'],
      ['verb=ListRecords&metadataPrefix=none', 'cannotDisseminateFormat'],
      ['verb=ListRecords&metadataPrefix=plain', 'cannotDisseminateFormat'],
      ['verb=ListRecords&metadataPrefix=oai_dc&from=2100-01-01', 'noRecordsMatch'],
      ['verb=ListRecords&metadataPrefix=oai_dc&set=nothing', 'noRecordsMatch'],
      ['verb=ListRecords&metadataPrefix=oai_dc&set=schema:none', 'noRecordsMatch'],
      ['verb=ListRecords&metadataPrefix=note&set=schema:plain', 'noRecordsMatch'],
      ['verb=ListRecords&metadataPrefix=oai_dc&set=resourcetype:DATASET', 'noRecordsMatch'],
      ['verb=ListRecords&resumptionToken=x', 'badResumptionToken'],
      ['verb=ListRecords&resumptionToken=', 'badArgument'],
      ['verb=ListRecords&resumptionToken=x&from=2026-01-01', 'badArgument'],
      ['verb=ListSets&resumptionToken=x', 'badResumptionToken'],
      ['verb=GetRecord&identifier=r1', 'badArgument'],
      ['verb=GetRecord&metadataPrefix=oai_dc', 'badArgument'],
      ['verb=GetRecord&identifier=none&metadataPrefix=oai_dc', 'idDoesNotExist'],
      ['verb=GetRecord&identifier=oai:example.com:r1&metadataPrefix=oai_dc', 'idDoesNotExist'],
      ['verb=GetRecord&identifier=r1&metadataPrefix=note', 'cannotDisseminateFormat'],
      ['verb=GetRecord&identifier=r1&metadataPrefix=none', 'cannotDisseminateFormat'],
      ['verb=ListMetadataFormats&identifier=none', 'idDoesNotExist'],
      ['verb=ListMetadataFormats&identifier=2026-01-01T00:00:00.0x', 'badArgument'],
      ['verb=ListMetadataFormats&identifier=http://example.org:port/1', 'badArgument'],
      ['verb=ListMetadataFormats&identifier=http://example.org:8080/a:b?c@d', 'idDoesNotExist'],
      ['verb=ListMetadataFormats&identifier=10.5281/zenodo.1:2', 'idDoesNotExist'],
    ]
    for (const [query, ...codes] of refused) {
      it(`${query === '' ? 'a request without arguments' : query} as ${codes[0]}`, async () => {
        const answer = await ask(query)
        expect(answer.errors).to.deep.equal(codes)
        const bare = ['badVerb', 'badArgument'].includes(codes[0] ?? '')
        expect(Object.keys(answer.request).length === 0).to.equal(bare)
      })
    }

    for (const [title, query, code] of [
      [
        'a token of 9,000 characters',
        `verb=ListRecords&resumptionToken=${'x'.repeat(9000)}`,
        'badResumptionToken',
      ],
      [
        'an identifier of 9,000 characters',
        `verb=GetRecord&metadataPrefix=oai_dc&identifier=${'x'.repeat(9000)}`,
        'idDoesNotExist',
      ],
      [
        'a set of 9,000 characters',
        `verb=ListRecords&metadataPrefix=oai_dc&set=${'x'.repeat(9000)}`,
        'noRecordsMatch',
      ],
      ['a name of 200 characters', `verb=Identify&${'x'.repeat(200)}=1`, 'badArgument'],
      ['broken percent-encoding of a token', 'verb=ListRecords&resumptionToken=%zz', 'badResumptionToken'],
      ['a token that is not UTF-8', 'verb=ListRecords&resumptionToken=%ff', 'badResumptionToken'],
      [
        'an identifier that is not UTF-8',
        'verb=GetRecord&metadataPrefix=oai_dc&identifier=r%ff',
        'badArgument',
      ],
      ['broken percent-encoding of a prefix', 'verb=ListRecords&metadataPrefix=%zz', 'badArgument'],
      ['a name that is not UTF-8', 'verb=Identify&%ff=1', 'badArgument'],
      ['broken percent-encoding of a verb', 'verb=%', 'badVerb'],
    ] as const) {
      it(`${title} in the form of the protocol, by GET and POST`, async () => {
        expect((await ask(query)).errors).to.deep.equal([code])
        const posted = await readOai(service.http.post('/oaipmh').type('form').send(query))
        expect(posted.errors).to.deep.equal([code])
      })
    }

    it('or answers any arguments with a valid answer', async () => {
      const names = ['verb', 'metadataPrefix', 'identifier', 'set', 'from', 'until', 'resumptionToken']
      const verbs = [
        'Identify',
        'ListRecords',
        'ListIdentifiers',
        'GetRecord',
        'ListSets',
        'ListMetadataFormats',
      ]
      const values = [
        'oai_dc',
        'datacite',
        'note',
        'r1',
        'oai:example.org:r2',
        'type:xml',
        '2026-01-01',
        '2100-01-01',
      ]
      const text = fc.string({ unit: anyCharacter, maxLength: 20 })
      const argument = fc.tuple(
        fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...names) }, text),
        fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...values) }, text),
      )
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...verbs),
          fc.array(argument, { maxLength: 4 }),
          async (verb, more) => {
            const form = new URLSearchParams([['verb', verb], ...more]).toString()
            const { errors, request } = await readOai(service.http.post('/oaipmh').type('form').send(form))
            if (errors.length === 0) expect(request).to.include({ verb })
          },
        ),
        { numRuns: isLongForm ? 5000 : 150 },
      )
    })

    it('an identifier that is not a URI, and answers any identifier with a valid answer', async () => {
      const pieces = [...";:,/?@&=+$-_.!~*'()%1a", '//', '%41', 'http:', '99999999']
      await fc.assert(
        fc.asyncProperty(fc.array(fc.constantFrom(...pieces), { maxLength: 8 }), async parts => {
          const value = encodeURIComponent(parts.join(''))
          const { errors } = await ask(`verb=ListMetadataFormats&identifier=${value}`)
          expect(errors[0]).to.be.oneOf(['badArgument', 'idDoesNotExist'])
        }),
        { numRuns: isLongForm ? 20_000 : 300 },
      )
    })

    it('every text as an argument in bounded time, with a valid answer', async () => {
      for (const text of ['\u0000', '<&"\'>', 'ä'.repeat(1000), '%', '\ufffe', ']]>']) {
        const value = encodeURIComponent(text)
        const answers = [
          await ask(`verb=${value}`),
          await ask(`verb=ListRecords&metadataPrefix=${value}`),
          await ask(`verb=ListRecords&metadataPrefix=oai_dc&set=${value}`),
          await ask(`verb=GetRecord&metadataPrefix=oai_dc&identifier=${value}`),
          await ask(`verb=Identify&${encodeURIComponent(text.slice(0, 50))}=1`),
        ]
        for (const { errors } of answers) expect(errors).to.have.lengthOf(1)
      }
    })
  })

  it('identifies itself', async () => {
    const answer = await ask('verb=Identify')
    expect(answer.request).to.deep.equal({ verb: 'Identify' })
    expect(answer.all('baseURL')).to.deep.equal(['http://metastore.test/oaipmh'])
    expect(answer.all('adminEmail')).to.deep.equal(['admin@example.org'])
    expect(answer.all('deletedRecord')).to.deep.equal(['persistent'])
    expect(answer.all('granularity')).to.deep.equal(['YYYY-MM-DDThh:mm:ssZ'])
    expect(answer.all('repositoryName')[0]).to.not.equal('')
    expect(answer.text).to.contain('<sampleIdentifier>oai:example.org:')
    const [first] = (await ask('verb=ListIdentifiers&metadataPrefix=oai_dc')).records
    expect(answer.all('earliestDatestamp')).to.deep.equal([first?.datestamp])
  })

  it('has the name of the repository from metastore.json', async () => {
    const named = await startServiceWithWorkTree({ features: oai })
    await named.postSchema({ schemaId: 'plain' }, jsonSchema('title')).expect(201)
    await named.services.workTreeUpToDate()
    const name = 'Instruments & <samples>'
    await named.repository.commit('Name it', { 'metastore.json': JSON.stringify({ layout: 1, name }) })
    await waitUntil('the name', async () => {
      const names = (await askOai(named, 'verb=Identify')).all('repositoryName')
      return names.join() === name
    })
  })

  it('lists built-in formats and one for each XML schema', async () => {
    const answer = await ask('verb=ListMetadataFormats')
    expect(answer.all('metadataPrefix')).to.deep.equal(['oai_dc', 'datacite', 'note'])
    expect(answer.all('metadataNamespace').at(-1)).to.equal('http://example.org/note')
    expect(answer.all('schema').at(-1)).to.equal(
      'http://metastore.test/api/v1/schemas/note/versions/1/files/',
    )
    const of = async (id: string) =>
      (await ask(`verb=ListMetadataFormats&identifier=${id}`)).all('metadataPrefix')
    expect(await of('oai:example.org:r2')).to.deep.equal(['oai_dc', 'datacite', 'note'])
    expect(await of('r1')).to.deep.equal(['oai_dc', 'datacite'])
  })

  it('lists the sets, and the records of each', async () => {
    const sets = (await ask('verb=ListSets')).all('setSpec')
    expect(sets).to.include.members(['default', 'type:xml', 'schema:note', 'schema:plain'])
    const idsIn = async (set: string) =>
      idsOf(await harvestAll(service, `verb=ListIdentifiers&metadataPrefix=oai_dc&set=${set}`))
    const xml = ['r2', 'r4', 'r6'].map(id => `oai:example.org:${id}`)
    for (const set of ['type:xml', 'schema:note']) expect(await idsIn(set)).to.deep.equal(xml)
    for (const set of ['default', 'schema', 'type', 'resourcetype', 'resourcetype:MODEL'])
      expect(await idsIn(set)).to.have.lengthOf(records)
    const [first] = (await ask('verb=GetRecord&metadataPrefix=oai_dc&identifier=r2')).records
    expect(first?.sets).to.deep.equal(['default', 'schema:note', 'type:xml', 'resourcetype:MODEL'])
  })

  for (const verb of ['ListRecords', 'ListIdentifiers']) {
    it(`${verb} continues by tokens: each part has at least two items, and the last token is empty`, async () => {
      const parts = await harvestAll(service, `verb=${verb}&metadataPrefix=oai_dc`)
      expect(parts.map(({ records: { length } }) => length)).to.deep.equal([3, 4])
      expect(parts.map(({ token }) => token?.cursor)).to.deep.equal(['0', '3'])
      expect(parts.map(({ token }) => token?.size)).to.deep.equal(['7', '7'])
      expect(parts.at(-1)?.token?.text).to.equal('')
      expect(idsOf(parts)).to.deep.equal([1, 2, 3, 4, 5, 6, 7].map(at => `oai:example.org:r${at}`))
      const dates = parts.flatMap(part => part.records.map(({ datestamp }) => datestamp))
      expect(dates).to.deep.equal(dates.toSorted())
    })
  }

  it('omits the token for a list of one part', async () => {
    const { records: found, token } = await ask('verb=ListRecords&metadataPrefix=note')
    expect(found).to.have.lengthOf(3)
    expect(token).to.equal(undefined)
  })

  it('takes a token with the same format beside it, and no other arguments', async () => {
    const { token } = await ask('verb=ListRecords&metadataPrefix=oai_dc')
    const continued = `verb=ListRecords&resumptionToken=${token?.text}`
    expect((await ask(`${continued}&metadataPrefix=oai_dc`)).errors).to.deep.equal([])
    expect((await ask(`${continued}&metadataPrefix=datacite`)).errors).to.deep.equal(['badArgument'])
    expect((await ask(`${continued}&set=default`)).errors).to.deep.equal(['badArgument'])
    expect((await ask(continued.replace('ListRecords', 'ListIdentifiers'))).errors).to.deep.equal([
      'badResumptionToken',
    ])
  })

  it('refuses an altered token', async () => {
    const { token } = await ask('verb=ListRecords&metadataPrefix=oai_dc')
    const text = token?.text ?? ''
    for (let at = 0; at < text.length; at += 7) {
      const other = text[at] === 'A' ? 'B' : 'A'
      const altered = text.slice(0, at) + other + text.slice(at + 1)
      const { errors } = await ask(`verb=ListRecords&resumptionToken=${altered}`)
      expect(errors, altered).to.deep.equal(['badResumptionToken'])
    }
  })

  it('reads days and seconds, and includes both ends of a range', async () => {
    const { records: all } = await ask('verb=ListIdentifiers&metadataPrefix=note')
    const { datestamp = '' } = all[0] ?? {}
    const day = datestamp.slice(0, 10)
    const count = async (range: string) =>
      (await ask(`verb=ListIdentifiers&metadataPrefix=note&${range}`)).records.length
    expect(await count(`from=${day}&until=${day}`)).to.equal(3)
    expect(await count(`until=${day}`)).to.equal(3)
    expect(await count(`from=${datestamp}`)).to.equal(3)
    expect(await count(`from=${datestamp}&until=${datestamp}`)).to.be.at.least(1)
  })

  it('answers POST like GET', async () => {
    const post = (body: string) => service.http.post('/oaipmh').type('form').send(body)
    const answer = await readOai(post('verb=GetRecord&metadataPrefix=oai_dc&identifier=r1'))
    expect(answer.records[0]?.identifier).to.equal('oai:example.org:r1')
    expect((await readOai(post(''))).errors).to.deep.equal(['badVerb'])
    await service.http.post('/oaipmh').type('json').send('{}').expect(415)
    await post('x'.repeat(20_000)).expect(413)
  })

  it('is served below the other mount, with URLs below that mount', async () => {
    const answer = await askOai(service, 'verb=Identify', { mount: '/metastore' })
    expect(answer.all('baseURL')).to.deep.equal(['http://metastore.test/metastore/oaipmh'])
  })

  it('gives every record as oai_dc and datacite, and XML documents unchanged', async () => {
    for (const prefix of ['oai_dc', 'datacite']) {
      const parts = await harvestAll(service, `verb=ListRecords&metadataPrefix=${prefix}`)
      const all = parts.flatMap(part => part.records)
      expect(all.map(({ metadata }) => metadata !== undefined)).to.deep.equal(all.map(() => true))
    }
    const { text } = await ask('verb=ListRecords&metadataPrefix=note')
    expect(text).to.contain('<metadata><note xmlns="http://example.org/note"><text>hello</text></note>')
  })
})

describe('the sets of OAI-PMH', () => {
  after(removeRepositories)

  it('are those that the headers of readable records name, and those of readable schemas', async () => {
    const service = await startService({ features: oaiOptions, identify: identifyWithTestSecret })
    const owner = await userToken('owner')
    const readers = (names: readonly string[]) => names.map(sid => ({ sid, permission: 'READ' }))
    const schemas = {
      open: ['anonymousUser'],
      used: [],
      hidden: [],
      unused: ['anna'],
    }
    for (const [schemaId, names] of Object.entries(schemas))
      await service
        .postSchema({ schemaId, label: `Label of ${schemaId}`, acl: readers(names) }, jsonSchema())
        .auth(owner, { type: 'bearer' })
        .expect(201)
    for (const [id, schemaId, names] of [
      ['r1', 'used', ['anonymousUser']],
      ['r2', 'hidden', ['anna']],
    ] as const)
      await service
        .postMetadata(metadataRecordV1(`http://x/${id}`, schemaId, { id, acl: readers(names) }), '{}')
        .auth(owner, { type: 'bearer' })
        .expect(201)
    const seenBy = async (bearer?: string) => {
      const answer = await askOai(service, 'verb=ListSets', { bearer })
      const sets = answer.all('setSpec').filter(spec => spec.startsWith('schema:'))
      for (const set of ['schema:used', 'schema:hidden']) {
        const list = `verb=ListIdentifiers&metadataPrefix=oai_dc&set=${set}`
        const { records: found } = await askOai(service, list, { bearer })
        expect(found.length, set).to.equal(sets.includes(set) ? 1 : 0)
      }
      return { sets, names: answer.all('setName').join() }
    }
    const anonymous = await seenBy()
    expect(anonymous.sets).to.have.members(['schema:open', 'schema:used'])
    expect(anonymous.names).to.contain('Label of open').and.to.not.contain('Label of used')
    const anna = await seenBy(await userToken('anna'))
    expect(anna.sets).to.have.members(['schema:open', 'schema:used', 'schema:hidden', 'schema:unused'])
    expect((await seenBy(owner)).sets).to.have.length(4)
  })
})

describe('OAI-PMH without its options', () => {
  afterEach(removeRepositories)

  it('answers 404 without an address of an administrator, and logs the reason', async () => {
    const lines: string[] = []
    const service = await startService({ note: line => lines.push(line) })
    await service.http.get('/oaipmh?verb=Identify').expect(404)
    await service.http.post('/oaipmh').type('form').send('verb=Identify').expect(404)
    expect(lines).to.have.lengthOf(1)
    expect(lines[0]).to.contain('--oai-admin')
  })

  it('has no sets with --oai-sets none', async () => {
    const service = await startService({ features: { ...oaiOptions, 'oai-sets': 'none' } })
    await service.postSchema({ schemaId: 'plain' }, jsonSchema('title')).expect(201)
    await service
      .postMetadata(metadataRecordV1('https://example.org/1', 'plain', { id: 'r1' }), '{"title":"x"}')
      .expect(201)
    expect((await askOai(service, 'verb=ListSets')).errors).to.deep.equal(['noSetHierarchy'])
    const list = 'verb=ListRecords&metadataPrefix=oai_dc'
    expect((await askOai(service, `${list}&set=default`)).errors).to.deep.equal(['noSetHierarchy'])
    const { records: found } = await askOai(service, list)
    expect(found).to.have.lengthOf(1)
    expect(found[0]?.sets).to.deep.equal([])
    // Without a namespace, the identifier is the id.
    expect(found[0]?.identifier).to.equal('r1')
  })

  it('answers an empty repository', async () => {
    const service = await startService({ features: oaiOptions })
    expect((await askOai(service, 'verb=ListRecords&metadataPrefix=oai_dc')).errors).to.deep.equal([
      'noRecordsMatch',
    ])
    expect((await askOai(service, 'verb=Identify')).errors).to.deep.equal([])
  })
})
