import { expect } from 'chai'
import type { Response } from 'supertest'
import { openMetrics } from '../../../src/http/observability/prometheus-metrics.js'
import type { Parameter } from '../../../src/http/openapi/specification-types.js'
import { interfaceDescription } from '../../support/http/interface-description.js'
import { readHtml } from '../../support/http/strict-html.js'
import { base, metadataRecordV1, startService, type TestService } from '../../support/http/test-service.js'
import { oaiOptions } from '../../support/oai-pmh/oai-client.js'
import { browserScript } from '../../support/program/browser-script.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

const description = interfaceDescription(base)

/** Every read: its path, and whether the description allows a point of history. */
const reads = Object.entries(description.paths).flatMap(([path, item]) => {
  if (!item.get) return []
  const names = [...(item.parameters ?? []), ...(item.get.parameters ?? [])].map(nameOf)
  return [{ path, takesPoint: names.includes('at') }]
})

function nameOf(parameter: Parameter | { readonly $ref: string }): string {
  if (!('$ref' in parameter)) return parameter.name
  return description.components.parameters[parameter.$ref.replace(/^.*\//, '')]?.name ?? ''
}

/** The address of a read with the parameters that it needs. */
function addressOf(path: string): string {
  const isSchema = /schema/.test(path)
  const filled = path
    .replace('{id}', isSchema ? 's' : 'a')
    .replace('{path}', 'part.json')
    .replace('{number}', '1')
    .replace('{format}', 'datacite-json')
  const query = /\/diff$|\/compare\//.test(path)
    ? 'from=1&to=2'
    : path.includes('landing-page')
      ? isSchema
        ? 'schemaId=s'
        : 'id=a'
      : path === '/oaipmh'
        ? 'verb=Identify'
        : path.startsWith('/repository.git')
          ? 'service=git-upload-pack'
          : path === '/api/changes'
            ? 'before=now'
            : ''
  const file = path.startsWith('/assets/') ? browserScript() : 'swagger-ui.css'
  return `${filled.replace('{file}', file)}?${query}`
}

describe('the parameter at', () => {
  let service: TestService
  /** The commit at which everything has two versions. */
  let then: string
  /** The answer of each read in the newest state. */
  const present = new Map<string, Response>()
  before(async () => {
    service = await startService({ metrics: await openMetrics(), features: oaiOptions })
    const schema = (word: string) => JSON.stringify({ title: `The ${word} schema`, $ref: 'part.json' })
    const part = (word: string) => ({ 'part.json': JSON.stringify({ type: 'object', title: word }) })
    async function change(word: string): Promise<void> {
      const files = Buffer.from(part(word)['part.json'])
      const schemaRecord = { schemaId: 's', label: `The ${word} schema` }
      await service
        .putSchema('s', '*', schemaRecord, schema(word))
        .attach('include', files, { filename: 'part.json' })
        .attach('include', Buffer.from('{}'), { filename: `${word}.json` })
        .expect(200)
      await service.putMetadata('a', '*', undefined, JSON.stringify({ word })).expect(200)
    }
    await service.postSchema({ schemaId: 's' }, schema('first'), part('first')).expect(201)
    await service
      .postMetadata(metadataRecordV1('https://example.org/a', 's', { id: 'a' }), '{"word":"first"}')
      .expect(201)
    await change('former')
    then = await service.head()
    await service.services.workTreeUpToDate()
    await change('present')
    await service
      .postMetadata(metadataRecordV1('https://example.org/b', 's', { id: 'b' }), '{"word":"present"}')
      .expect(201)
    await service.services.workTreeUpToDate()
    for (const { path } of reads) present.set(path, await get(path))
  })
  after(removeRepositories)

  const accept = (path: string) =>
    /api|download|repository|health|info|docs/.test(path) ? '*/*' : 'text/html'
  const get = (path: string, at?: string) =>
    service.http
      .get(addressOf(path) + (at === undefined ? '' : `&at=${at}`))
      .set('Accept', accept(path))
      .buffer()

  for (const { path, takesPoint } of reads) {
    it(`is not necessary for GET ${path}`, () => {
      const { status, text } = present.get(path) ?? {}
      expect(status, text).to.be.below(400)
    })

    if (path === '/oaipmh') {
      it(`is refused by GET ${path} with an error code of OAI-PMH`, async () => {
        expect((await get(path, then).expect(200)).text).to.contain('badArgument')
      })
    } else if (path === '/app/{path}') {
      it(`is left to the script of GET ${path}, which resolves it`, async () => {
        for (const point of [then, 'no-such-point'])
          expect((await get(path, point).expect(200)).text).to.equal(present.get(path)?.text)
      })
    } else if (!takesPoint) {
      it(`is refused, not ignored, by GET ${path}`, async () => {
        const answer = await get(path, then).expect(400)
        expect(answer.text).to.include('without the parameter at')
      })
    } else {
      it(`is refused by GET ${path} with 404 for an unknown point, and with 400 for an impossible name`, async () => {
        await get(path, 'no-such-point').expect(404)
        await get(path, 'nonsense..').expect(400)
      })

      it(`is honoured by GET ${path}`, async () => {
        const former = await get(path, then).expect(200)
        expect(former.text).to.not.include('present')
        // The difference of the versions 1 and 2 is the same at both points.
        if (!/\/diff$|\/compare\//.test(path)) expect(former.text).to.not.equal(present.get(path)?.text)
      })
    }

    if (path.endsWith('/versions'))
      it(`leaves out later versions in the answer of GET ${path}`, async () => {
        const former = await get(path, then)
        expect([former.body.length, present.get(path)?.body.length]).to.deep.equal([2, 3])
      })
  }

  it('is tested on every route that reads', () => {
    expect(reads.filter(({ takesPoint }) => takesPoint)).to.have.length.above(25)
    expect(reads.filter(({ takesPoint }) => !takesPoint)).to.have.length.above(8)
  })

  describe('of an HTML list', () => {
    let many: string
    before(async () => {
      for (let n = 0; n < 30; n++) {
        const record = metadataRecordV1(`https://example.org/${n}`, 's', { id: `n${n}` })
        await service.postMetadata(record, '{"word":"later"}').expect(201)
      }
      many = await service.head()
      await service.repository.git('tag', 'many', many)
      await service.http.delete('/api/v1/metadata/n1').set('If-Match', '*').expect(204)
      await service.putMetadata('n2', '*', undefined, '{"word":"changed"}').expect(200)
    })

    /** The elements, the text and the addresses of links of a page. */
    async function open(path: string) {
      const { elements, text } = readHtml(
        (await service.http.get(path).set('Accept', 'text/html').expect(200)).text,
      )
      const targets = elements.flatMap(({ name, attributes }) =>
        name === 'a' && attributes.href?.startsWith(base) ? [attributes.href.slice(base.length)] : [],
      )
      return { elements, text, targets }
    }
    const firstPage = () => open('/metadata-management?schemaId=s&at=many')
    const secondPage = () => open(`/metadata-management?schemaId=s&page=2&at=${many}`)

    it('is named above the list of the records of that point', async () => {
      const { text, targets } = await firstPage()
      expect(text).to.contain('32 metadata documents').and.to.contain('the point many of the history')
      expect(targets, 'the newest state').to.contain('/metadata-management')
    })

    it('stays in the search form, as a commit', async () => {
      const { elements } = await firstPage()
      const field = elements.find(({ attributes }) => attributes.name === 'at')
      expect(field?.attributes.value).to.equal(many)
    })

    it('stays in the link to the next page, as a commit', async () => {
      const next = (await firstPage()).targets.find(target => target.includes('page=2'))
      expect(next).to.equal(`/metadata-management?schemaId=s&page=2&at=${many}`)
      expect((await secondPage()).text).to.contain('Page 2 of 2')
    })

    it('stays in the links to records, which show that state', async () => {
      const record = `/metadata-landing-page?id=n2&version=1&at=${many}`
      expect([...(await firstPage()).targets, ...(await secondPage()).targets]).to.include(record)
      expect((await open(record)).text).to.contain('"word": "later"')
    })

    it('leaves out later records, and stays in the link to the only one', async () => {
      const { text, targets } = await open(`/metadata-management?at=${then}`)
      expect(text).to.contain('1 metadata document').and.to.not.contain('1 metadata documents')
      expect(targets).to.include(`/metadata-landing-page?id=a&version=2&at=${then}`)
    })

    it('is named on the page, with a link to the same list of today', async () => {
      const { text, targets } = await open(`/metadata-management?schemaId=s&sort=id,asc&at=${then}`)
      expect(text).to.contain(`This is the list at the point ${then} of the history.`)
      expect(targets).to.include('/metadata-management?schemaId=s&sort=id%2Casc')
    })

    it('applies to the list of schemas, and stays in its links', async () => {
      const { text, targets } = await open(`/schema-management?at=${then}`)
      expect(text).to.contain('The former schema')
      expect(targets).to.include(`/schema-landing-page?schemaId=s&version=2&at=${then}`)
    })
  })
})
