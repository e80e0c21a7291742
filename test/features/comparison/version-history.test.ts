import { expect } from 'chai'
import fc from 'fast-check'
import type { Response } from 'supertest'
import type { Identify } from '../../../src/http/auth/identify-caller.js'
import { applyJsonPatch, type JsonOperation } from '../../support/data/apply-json-patch.js'
import {
  etagOf,
  jsonSchema,
  metadataRecordV1,
  metadataType,
  startServiceWithWorkTree,
  type TestService,
} from '../../support/http/test-service.js'
import { isLongForm } from '../../support/program/long-form.js'
import { removeRepositories, waitUntil } from '../../support/repository/test-repository.js'

const anything = '{"type":"object"}'
const anyXml = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="parcel"><xs:complexType mixed="true">
  <xs:sequence><xs:any minOccurs="0" maxOccurs="unbounded" processContents="skip"/></xs:sequence>
  <xs:anyAttribute processContents="skip"/></xs:complexType></xs:element></xs:schema>`

let service: TestService

/** Starts a service with the schemas `any` and `xml`, which allow every document of their language. */
async function start(): Promise<void> {
  service = await startServiceWithWorkTree()
  await service.postSchema({ schemaId: 'any' }, anything).expect(201)
  await service.postSchema({ schemaId: 'xml' }, anyXml).expect(201)
}

async function store(id: string, schema: string, ...documents: string[]): Promise<void> {
  const [first = '', ...others] = documents
  await service.postMetadata(metadataRecordV1(`http://x/${id}`, schema, { id }), first).expect(201)
  for (const document of others) await service.putMetadata(id, '*', undefined, document).expect(200)
}
const get = (path: string, accept = 'application/json') => service.http.get(path).set('Accept', accept)

describe('the history of a record', () => {
  beforeEach(start)
  afterEach(removeRepositories)

  it('keeps the digits of numbers that no double holds', async () => {
    const [first, second] = ['{"id":9007199254740993,"x":1e400}', '{"id":9007199254740992,"x":1e400}']
    await store('doc', 'any', first, second, '{"x":10.0e399,"id":9007199254740992.0}')
    const between = (from: number, to: number) => `/api/v1/metadata/doc/diff?from=${from}&to=${to}`

    const patch = await get(between(2, 1), 'application/json-patch+json').expect(200)
    expect(patch.text).to.equal('[{"op":"replace","path":"/id","value":9007199254740993}]')
    const { text } = await get(between(1, 2)).expect(200)
    expect(text).to.contain('"value":9007199254740992,"before":9007199254740993')
    expect((await get(between(2, 3))).body.document.changes).to.deep.equal([])
    const { body } = await get('/api/v1/metadata/doc/blame').expect(200)
    const versions = body.members.map((part: { path: string; version: number }) => [part.path, part.version])
    expect(versions).to.deep.equal([
      ['', 2],
      ['/x', 1],
      ['/id', 2],
    ])
    const entry = await get('/api/v1/metadata/doc?version=1', 'application/vnd.datamanager.acl+json').expect(
      200,
    )
    expect(entry.text).to.contain(`"metadataDocument":${first}`)
  })

  it('names the author of commits with git', async () => {
    await store('doc', 'any', '{"a":1}')
    await service.services.workTreeUpToDate()
    const file = (await service.repository.git('ls-files'))
      .split('\n')
      .find(path => path.endsWith('doc/document.json'))
    const commit = await service.repository.commit('Correct a', { [file ?? '']: '{"a":2}' })
    const blame = await waitUntil('the commit to be served', async () => {
      const answer = await get('/api/v2/metadata/doc/blame')
      return answer.body.version === 2 && answer
    })

    expect(blame.body.members[1]).to.include({ path: '/a', version: 2, commit, author: 'Jane' })
  })

  it('compares records in the form of the interface version', async () => {
    await store('doc', 'any', '{}')
    await service.putMetadata('doc', '*', { licenseUri: 'http://x/licence' }).expect(200)
    const shown = { '/api/v1': metadataType, '/api/v2': 'application/vnd.datacite.org+json' }
    for (const [mount, type] of Object.entries(shown)) {
      const { body } = await get(`${mount}/metadata/doc/diff?from=1&to=2`).expect(200)
      const [before, after] = await Promise.all(
        [1, 2].map(
          async version => (await get(`${mount}/metadata/doc?version=${version}`, type).expect(200)).body,
        ),
      )

      expect(applyJsonPatch(before, body.record)).to.deep.equal(after)
      expect(JSON.stringify(body.record)).to.contain('http://x/licence')
      expect(body.document.changes).to.deep.equal([])
    }
  })

  it('refuses versions that cannot be compared, and names a remedy', async () => {
    await store('doc', 'xml', '<parcel/>', '<parcel a="1"/>')
    const url = '/api/v2/metadata/doc/diff'

    const noPatch = await get(`${url}?from=1&to=2`, 'application/json-patch+json').expect(406)
    expect(noPatch.body.detail).to.contain('text/x-diff')
    await get(`${url}?from=1&to=2`, 'text/html').expect(406)
    await get(`${url}?from=1&to=3`).expect(404)
    for (const query of ['', '?from=1', '?to=1', '?from=0&to=1', '?from=a&to=1', '?from=1&from=2&to=1']) {
      await get(url + query).expect(400)
    }
    for (const path of ['versions', 'diff?from=1&to=1', 'blame']) {
      for (const collection of ['schemas', 'metadata'])
        await get(`/api/v1/${collection}/none/${path}`).expect(404)
    }
    await get('/api/v2/metadata/doc/blame?version=3').expect(404)
    await get('/api/v2/metadata/doc/blame', 'text/plain').expect(406)
  })

  it('compares XML part by part, with the author of each part', async () => {
    await store(
      'doc',
      'xml',
      '<parcel><content>Books</content><weight unit="g">1</weight></parcel>',
      '<parcel>\n  <content>Books</content>\n  <weight unit="g">2</weight>\n</parcel>',
      '<parcel><from>Ada</from><content>Books</content><weight unit="kg">2</weight></parcel>',
    )

    const { body } = await get('/api/v1/metadata/doc/diff?from=2&to=3').expect(200)
    const blame = await get('/api/v1/metadata/doc/blame').expect(200)

    expect(body.document).to.deep.equal({
      type: 'XML',
      changes: [
        { op: 'add', path: '/parcel/from[1]', position: 1, value: '<from>Ada</from>' },
        { op: 'replace', path: '/parcel/weight[1]/@unit', value: 'kg', before: 'g' },
      ],
    })
    expect(versionsOf(blame.body)).to.deep.equal({
      '/parcel': 3,
      '/parcel/from[1]': 3,
      '/parcel/content[1]': 1,
      '/parcel/weight[1]': 3,
      '/parcel/weight[1]/@unit': 3,
    })
    expect(versionsOf((await get('/api/v1/metadata/doc/blame?version=2').expect(200)).body)).to.deep.equal({
      '/parcel': 2,
      '/parcel/content[1]': 1,
      '/parcel/weight[1]': 2,
      '/parcel/weight[1]/@unit': 1,
    })
  })

  it('reads XML in any encoding', async () => {
    const latin = Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><parcel to="é"/>', 'latin1')
    const wide = Buffer.from('\ufeff<?xml version="1.0" encoding="UTF-16"?><parcel to="ü"/>', 'utf16le')
    await service.postMetadata(metadataRecordV1('http://x/doc', 'xml', { id: 'doc' }), latin).expect(201)
    await service.putMetadata('doc', '*', undefined, '<parcel to="é"/>').expect(200)
    await service.putMetadata('doc', '*', undefined, wide).expect(200)
    const changes = async (from: number, to: number) =>
      (await get(`/api/v1/metadata/doc/diff?from=${from}&to=${to}`).expect(200)).body.document.changes

    expect(await changes(1, 2)).to.deep.equal([])
    expect(await changes(2, 3)).to.deep.equal([
      { op: 'replace', path: '/parcel/@to', value: 'ü', before: 'é' },
    ])
    const { body } = await get('/api/v1/metadata/doc/blame?version=2').expect(200)
    expect(versionsOf(body)).to.deep.equal({ '/parcel': 1, '/parcel/@to': 1 })
  })

  it('compares XML schemas with a DOCTYPE', async () => {
    const schema = (type: string) =>
      `<!DOCTYPE xs:schema [<!ENTITY ns "urn:d">]>\n<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="&ns;"><xs:element name="count" type="xs:${type}"/></xs:schema>`
    const made = await service.postSchema({ schemaId: 'doctype' }, schema('integer')).expect(201)
    await service.putSchema('doctype', etagOf(made), undefined, schema('date')).expect(200)

    const compared = await get('/api/v1/schemas/doctype/diff?from=1&to=2')
    expect(compared.status, compared.text).to.equal(200)
  })

  it('treats a changed file of a schema as breaking', async () => {
    const schema = '{"properties":{"a":{"$ref":"part.json"}}}'
    const made = await service.postSchema({ schemaId: 's' }, schema, { 'part.json': '{}' }).expect(201)
    const include = { filename: 'part.json' }
    await service.http
      .put('/api/v1/schemas/s')
      .set('If-Match', etagOf(made))
      .attach('include', Buffer.from('{"type":"string"}'), include)
      .expect(200)

    const { body } = await get('/api/v1/schemas/s/diff?from=1&to=2').expect(200)

    expect(body).to.deep.include({
      effect: 'breaking',
      files: [{ op: 'replace', path: 'part.json', effect: 'breaking', reason: 'cannot be decided' }],
    })
    expect(body.document.changes).to.deep.equal([])
  })

  it('names the version that changed a document, not a later one that kept it', async () => {
    await store('doc', 'any', '{"a":1}')
    await service.putMetadata('doc', '*', { licenseUri: 'http://x/licence' }).expect(200)
    const first = await service.postSchema({ schemaId: 's' }, anything).expect(201)
    await service.putSchema('s', etagOf(first), { label: 'New' }).expect(200)

    const document = await get('/api/v1/metadata/doc/blame').expect(200)
    expect(document.body.version).to.equal(2)
    expect(versionsOf(document.body)).to.deep.equal({ '': 1, '/a': 1 })
    const schema = await get('/api/v1/schemas/s/blame').expect(200)
    expect(schema.body.members[0].commit).to.equal(etagOf(first).replaceAll('"', ''))
  })

  it('finds the same version for each part as an application of every patch', async () => {
    type Value = null | number | string | readonly Value[] | { readonly [name: string]: Value }
    const values = fc.letrec<{ value: Value }>(tie => ({
      value: fc.oneof(
        { maxDepth: 3, depthSize: 'small' },
        fc.constantFrom<Value>(null, 0, 1, 'a', 'b'),
        fc.array(tie('value'), { maxLength: 5 }),
        fc.dictionary(fc.constantFrom('a', 'b', 'c/d'), tie('value'), { maxKeys: 3 }),
      ),
    })).value
    const documents = fc.dictionary(fc.constantFrom('a', 'b', 'c/d'), values, { maxKeys: 3 })
    let count = 0
    await fc.assert(
      fc.asyncProperty(fc.array(documents, { minLength: 2, maxLength: 5 }), async history => {
        const id = `doc-${++count}`
        await store(id, 'any', ...history.map(document => JSON.stringify(document)))
        const url = `/api/v1/metadata/${id}`
        const last = (await get(`${url}/versions`).expect(200)).body[0].version as number
        const first = (await get(`${url}?version=1`, '*/*').expect(200)).text
        let expected = dated(JSON.parse(first), 1)
        for (let version = 2; version <= last; version++) {
          const between = `${url}/diff?from=${version - 1}&to=${version}`
          const { body } = await get(between, 'application/json-patch+json').expect(200)
          expected = followed(expected, body, version)
        }

        // Asks twice, because the server caches the second answer.
        for (let time = 0; time < 2; time++) {
          const { body } = await get(`${url}/blame`).expect(200)
          expect(versionsOf(body)).to.deep.equal(datesOf(expected))
        }
      }),
      { numRuns: isLongForm ? 60 : 12 },
    )
  })

  it('begins at a document of the other language', async () => {
    await store('doc', 'xml', '<parcel/>')
    const record = metadataRecordV1('http://x/doc', 'any')
    await service.putMetadata('doc', '*', record, '{"a":1}').expect(200)

    const { body } = await get('/api/v1/metadata/doc/diff?from=1&to=2').expect(200)
    expect(body.document).to.deep.equal({ type: 'JSON' })
    await get('/api/v1/metadata/doc/diff?from=1&to=2', 'application/json-patch+json').expect(406)
    expect(versionsOf((await get('/api/v1/metadata/doc/blame').expect(200)).body)).to.deep.equal({
      '': 2,
      '/a': 2,
    })
  })
})

describe('the comparison of two versions of a document', () => {
  const url = '/api/v1/metadata/doc/diff?from=1&to=2'
  const patch = [
    { op: 'remove', path: '/list/1' },
    { op: 'replace', path: '/a/b', value: 'y' },
    { op: 'add', path: '/c', value: null },
  ]
  before(async () => {
    await start()
    await store('doc', 'any', '{"list":[1,2,3],"a":{"b":"x"}}', '{"list":[1,3],"a":{"b":"y"},"c":null}')
  })
  after(removeRepositories)

  it('is a JSON Patch if Accept asks for one', async () => {
    const structural = await get(url, 'application/json-patch+json').expect(200)
    expect(structural.headers).to.include({ 'content-type': 'application/json-patch+json', vary: 'Accept' })
    expect(structural.body).to.deep.equal(patch)
  })

  it('is a text of lines if Accept asks for one', async () => {
    const text = await get(url, 'text/x-diff').expect(200)
    expect(text.headers['content-type']).to.equal('text/x-diff; charset=utf-8')
    expect(text.text).to.contain('document.json').and.to.contain('-{"list":[1,2,3],"a":{"b":"x"}}')
  })

  for (const accept of ['*/*', 'application/*', 'application/json, text/x-diff;q=0.5']) {
    describe(`for Accept: ${accept}`, () => {
      let answer: Response
      before(async () => {
        answer = await get(url, accept).expect(200)
      })

      it('is JSON', () => {
        expect(answer.headers['content-type']).to.equal('application/json')
      })

      it('names both versions', async () => {
        expect(answer.body.from).to.include({ version: 1, author: 'SELF' })
        expect(answer.body.to).to.include({ version: 2, commit: await service.head() })
      })

      it('has the changes of the JSON Patch', () => {
        const { type, changes } = answer.body.document
        expect(type).to.equal('JSON')
        expect(changes.map(({ before: _, ...operation }: { before?: unknown }) => operation)).to.deep.equal(
          patch,
        )
      })

      it('has no effect, which only schemas have', () => {
        expect(answer.body).not.to.have.property('effect')
      })
    })
  }

  it('may be backwards', async () => {
    const back = await get('/api/v1/metadata/doc/diff?from=2&to=1', 'application/json-patch+json').expect(200)
    expect(back.body).to.have.length(3)
  })

  it('has no changes if the versions are the same', async () => {
    const { body } = await get('/api/v1/metadata/doc/diff?from=2&to=2').expect(200)
    expect(body.document.changes).to.deep.equal([])
  })
})

describe('the comparison of two versions of a schema', () => {
  const schema = (more: object) => JSON.stringify({ ...JSON.parse(jsonSchema('a')), ...more })
  before(async () => {
    await start()
    const first = await service.postSchema({ schemaId: 's' }, schema({})).expect(201)
    const second = await service.putSchema('s', etagOf(first), undefined, schema({ title: 'S' })).expect(200)
    const third = await service
      .putSchema('s', etagOf(second), undefined, schema({ required: [] }))
      .expect(200)
    await service.putSchema('s', etagOf(third), { label: 'New' }, schema({ minProperties: 1 })).expect(200)
  })
  after(removeRepositories)

  /** The effect of the whole, then that of each change. */
  const effects = async (from: number, to: number) => {
    const { body } = await get(`/api/v2/schemas/s/diff?from=${from}&to=${to}`).expect(200)
    return [body.effect, ...body.document.changes.map((change: { effect: string }) => change.effect)]
  }

  for (const [what, from, to, wanted] of [
    ['is neutral if only the title changed', 1, 2, ['neutral', 'neutral']],
    ['is compatible if a member need not exist any more', 2, 3, ['compatible', 'neutral', 'compatible']],
    ['has the effects of several versions together', 1, 3, ['compatible', 'compatible']],
    ['is neutral if nothing changed', 2, 2, ['neutral']],
  ] as const) {
    it(what, async () => {
      expect(await effects(from, to)).to.deep.equal(wanted)
    })
  }

  it('is breaking if documents need more members', async () => {
    expect((await effects(3, 4))[0]).to.equal('breaking')
  })

  it('is possible for each version of its history', async () => {
    const { body } = await get('/api/v1/schemas/s/versions').expect(200)
    expect(body.map((entry: { version: number }) => entry.version)).to.deep.equal([4, 3, 2, 1])
  })
})

describe('the comparison of large versions', () => {
  before(async () => {
    await start()
    const long = (letter: string, times = 1) => JSON.stringify({ a: letter.repeat(times * 1024 * 1024) })
    await store('longer', 'any', long('a', 8), long('b', 8))
    await store('doc', 'any', long('a'), long('b'), '{}')
    const name = 'n'.repeat(100_000)
    const named = (number: number) => JSON.stringify({ [name]: Array.from({ length: 1000 }, () => number) })
    await store('named', 'any', named(0), named(1))
    await store('many', 'any', JSON.stringify({ a: Array.from({ length: 60_000 }, () => 0) }))
  })
  after(removeRepositories)

  for (const [what, path, accept] of [
    ['of 8 MiB as text', 'longer/diff?from=1&to=2', 'text/x-diff'],
    ['of 1 MiB as a JSON Patch', 'doc/diff?from=1&to=2', 'application/json-patch+json'],
    ['of 1 MiB, with the version of each part', 'doc/blame?version=2', 'application/json'],
    ['of 60,000 parts, with the version of each part', 'many/blame', 'application/json'],
  ] as const) {
    it(`is refused with 413 ${what}`, async () => {
      await get(`/api/v1/metadata/${path}`, accept).expect(413)
    })
  }

  for (const [what, path, says] of [
    ['1 MiB, and names the format of text', 'doc/diff?from=1&to=2', 'text/x-diff'],
    ['long names', 'named/diff?from=1&to=2', 'long names'],
    ['long names, part by part', 'named/blame', 'long names'],
  ] as const) {
    it(`is refused with 413 for ${what}`, async () => {
      const { body } = await get(`/api/v1/metadata/${path}`).expect(413)
      expect(body.detail).to.contain(says)
    })
  }

  it('of 1 MiB is sent as text', async () => {
    await get('/api/v1/metadata/doc/diff?from=1&to=2', 'text/x-diff').expect(200)
  })

  it('is cut at a version that is too large, if the newer ones are small', async () => {
    const { body } = await get('/api/v1/metadata/doc/blame').expect(200)
    expect(body).to.include({ version: 3, cut: 3 })
  })
})

describe('the history of a record that not every caller may read', () => {
  afterEach(removeRepositories)

  const identify: Identify = ctx => {
    const sid = ctx.get('X-Caller')
    return { sid, name: sid, email: `${sid}@example.org`, administrator: false, groups: [] }
  }

  it('is only for callers who may read it', async () => {
    const service = await startServiceWithWorkTree({ identify })
    const acl = [{ sid: 'reader', permission: 'READ' }]
    const as = (caller: string, path: string) => service.http.get(path).set('X-Caller', caller)
    await service
      .postSchema({ schemaId: 's', acl: [...acl, { sid: 'owner', permission: 'ADMINISTRATE' }] }, anything)
      .set('X-Caller', 'owner')
      .expect(201)
    await service
      .postMetadata(metadataRecordV1('http://x/1', 's', { id: 'doc', acl }), '{}')
      .set('X-Caller', 'owner')
      .expect(201)
    const paths = ['versions', 'diff?from=1&to=1', 'blame']
    const all = async (caller: string, id: string, status: number) => {
      for (const path of paths) await as(caller, `/api/v1/${id}/${path}`).expect(status)
    }

    for (const id of ['metadata/doc', 'schemas/s']) {
      await all('owner', id, 200)
      await all('reader', id, 200)
      await all('stranger', id, 403)
    }
    const remove = (path: string) => service.http.delete(path).set({ 'X-Caller': 'owner', 'If-Match': '*' })
    await remove('/api/v1/metadata/doc').expect(204)
    await all('reader', 'metadata/doc', 404)
    await all('owner', 'metadata/doc', 200)
    await remove('/api/v1/metadata/doc').expect(204)
    await all('owner', 'metadata/doc', 404)
    await remove('/api/v1/schemas/s').expect(204)
    await all('reader', 'schemas/s', 404)
    await all('owner', 'schemas/s', 200)
  })
})

interface Blame {
  readonly members: readonly { readonly path: string; readonly version: number }[]
}

function versionsOf({ members }: Blame): Readonly<Record<string, number>> {
  return Object.fromEntries(members.map(({ path, version }) => [path, version]))
}

/** A value. Each part of it has the version that changed it last. */
interface Dated {
  since: number
  readonly inside: Map<string, Dated> | Dated[]
}

function dated(value: unknown, since: number): Dated {
  if (Array.isArray(value)) return { since, inside: value.map(item => dated(item, since)) }
  const members = Object.entries(typeof value === 'object' ? (value ?? {}) : {})
  return { since, inside: new Map(members.map(([name, member]) => [name, dated(member, since)])) }
}

/** Applies a patch, operation by operation. */
function followed(root: Dated, patch: readonly JsonOperation[], version: number): Dated {
  for (const { op, path, value } of patch) {
    if (path === '') throw new Error('The patch replaces the whole document.')
    const names = path
      .split('/')
      .slice(1)
      .map(name => name.replaceAll('~1', '/').replaceAll('~0', '~'))
    const last = names.pop() ?? ''
    root.since = version
    let holder = root
    for (const name of names) {
      const inner: Dated | undefined = Array.isArray(holder.inside)
        ? holder.inside[Number(name)]
        : holder.inside.get(name)
      if (!inner) throw new Error(`The value has no part at ${path}.`)
      inner.since = version
      holder = inner
    }
    const { inside } = holder
    if (Array.isArray(inside)) {
      const added = op === 'remove' ? [] : [dated(value, version)]
      inside.splice(Number(last), op === 'add' ? 0 : 1, ...added)
    } else if (op === 'remove') inside.delete(last)
    else inside.set(last, dated(value, version))
  }
  return root
}

function datesOf({ since, inside }: Dated, path = ''): Readonly<Record<string, number>> {
  const found: Record<string, number> = { [path]: since }
  for (const [name, inner] of inside.entries()) {
    const step = String(name).replaceAll('~', '~0').replaceAll('/', '~1')
    Object.assign(found, datesOf(inner, `${path}/${step}`))
  }
  return found
}
