// test-schedule: first
import { expect } from 'chai'
import { parseId } from '../../src/core/value-types.js'
import { recordDirectory } from '../../src/store/records/repository-layout.js'
import { utf16, xsd } from '../support/data/schema-bundles.js'
import { metadataRecordV1 } from '../support/http/test-service.js'
import { isLongForm } from '../support/program/long-form.js'
import { runProgram, stopProcesses } from '../support/program/run-program.js'
import {
  filePart,
  type MonitoredResponse,
  type MonitoredServer,
  startMonitoredServer,
  stopCanaryServers,
} from '../support/servers/monitored-server.js'

const mebibyte = 2 ** 20
/** Limit of the time of a validation, in milliseconds. */
const validationTime = isLongForm ? 3000 : 500
/** Limit of the memory of a validation, in mebibytes. */
const validationMemory = isLongForm ? 128 : 64
/** Number of workers. On a busy machine, a document that is stopped has several times the limit, in each worker. */
const workers = isLongForm ? 2 : 1
const nested = (levels: number, inner = '') => '['.repeat(levels) + inner + ']'.repeat(levels)

describe('documents and schemas that exhaust a validator', () => {
  let watched: MonitoredServer
  before(async () => {
    watched = await startMonitoredServer(
      ...['--max-document', '16', '--validation-time', `${validationTime}`],
      ...['--validation-memory', `${validationMemory}`, '--workers', `${workers}`],
    )
    expect((await watched.postSchema({ schemaId: 'any' }, '{"title": "anything"}')).status).to.equal(201)
    const element = xsd(
      '<xs:element name="a"><xs:complexType mixed="true"><xs:sequence><xs:any processContents="lax" minOccurs="0" maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:element>',
    )
    expect((await watched.postSchema({ schemaId: 'any-xml' }, element)).status).to.equal(201)
  })
  after(async () => {
    stopCanaryServers()
    await stopProcesses()
  })

  let count = 0
  const document = (schemaId: string, bytes: string | Uint8Array) =>
    watched.postMetadata(metadataRecordV1(`http://example.org/${++count}`, schemaId), bytes)
  const schema = (bytes: string | Uint8Array) => watched.postSchema({ schemaId: `s${++count}` }, bytes)
  /** Expects that the server keeps a document byte for byte. */
  async function kept(answer: MonitoredResponse, bytes: string | Uint8Array): Promise<void> {
    expect(answer.status, answer.text.slice(0, 300)).to.equal(201)
    const { bytes: read } = await watched.ask('GET', `/api/v1/metadata/${answer.body.id}`)
    expect(read.equals(Buffer.from(bytes as string))).to.equal(true)
  }
  const says = (answer: MonitoredResponse, what: string | RegExp, status = 422) => {
    expect(answer.status, answer.text.slice(0, 500)).to.equal(status)
    expect(answer.text).to.match(typeof what === 'string' ? new RegExp(what) : what)
  }

  it('are refused if nested too deeply, and accepted if nested a few hundred levels deep', async () => {
    const elements = (levels: number) => `<a>${'<b>'.repeat(levels)}${'</b>'.repeat(levels)}</a>`
    await watched.stands(async () => {
      await kept(await document('any', nested(500)), nested(500))
      await kept(await document('any-xml', elements(200)), elements(200))
      for (const levels of [1000, 100_000, isLongForm ? 4_000_000 : 300_000]) {
        says(await document('any', nested(levels)), 'levels|longer')
        says(await document('any', `${'{"a":'.repeat(levels)}1`.slice(0, 15 * mebibyte)), 'levels|longer')
        says(await document('any-xml', elements(levels).slice(0, 15 * mebibyte)), 'line|longer|memory')
        says(await schema(`{"const": ${nested(levels)}}`), 'levels|longer')
      }
      const wraps = [
        ...['{"not":', '{"allOf":[', '{"properties":{"a":'],
        ...['{"if":', '{"$defs":{"a":', '{"items":'],
      ]
      for (const [at, depth] of [200, 2000, 20_000].entries()) {
        // The short form has a third of the keywords at each depth.
        for (const wrap of wraps.filter((_, index) => isLongForm || index % 3 === at)) {
          const open = (wrap.match(/[[{]/g) ?? []).map(bracket => (bracket === '{' ? '}' : ']'))
          const text = `${wrap.repeat(depth)}{}${open.reverse().join('').repeat(depth)}`
          const { status } = await schema(text)
          expect(status, `${wrap} ${depth} times`).to.be.oneOf([201, 422])
        }
        const sequences = xsd(
          `<xs:element name="a"><xs:complexType>${'<xs:sequence>'.repeat(depth)}${'</xs:sequence>'.repeat(depth)}</xs:complexType></xs:element>`,
        )
        expect((await schema(sequences)).status, `xs:sequence ${depth} times`).to.be.oneOf([201, 422])
      }
      // The server reads records itself, without a worker.
      for (const levels of [101, 5000, 400_000]) {
        const record = `{"acl": ${nested(levels)}}`
        says(await watched.postMetadata(record, '{}'), 'levels|JSON', 400)
        says(await watched.postSchema(record, '{}'), 'levels|JSON', 400)
      }
    })
  })

  it('are accepted with numbers outside the range of number types', async () => {
    const numbers = `[1e999999, -1e999999, 1e-999999, ${'9'.repeat(100_000)}, 0.${'1'.repeat(100_000)}, -0]`
    await watched.stands(async () => {
      await kept(await document('any', numbers), numbers)
      says(await schema(`{"maximum": "1e999"}`), 'maximum')
      for (const [keyword, value] of [
        ['maximum', '1e999999'],
        ['multipleOf', '1e-999999'],
        ['multipleOf', '1e-300'],
        ['minLength', '1e300'],
        ['maxItems', '99999999999999999999999999'],
      ]) {
        const answer = await schema(`{"${keyword}": ${value}}`)
        expect(answer.status, keyword).to.be.oneOf([201, 422])
        if (answer.status === 422) continue
        const judged = await document(answer.body.schemaId, '1e308')
        expect(judged.status, `${keyword} ${value}: ${judged.text}`).to.be.oneOf([201, 422])
      }
      for (const size of ['1e999', '9'.repeat(400)]) {
        const record = `{"relatedResource": {"identifier": "x", "identifierType": "URL"}, "schema": {"identifier": "any", "identifierType": "INTERNAL"}, "schemaVersion": ${size}}`
        expect((await watched.postMetadata(record, '{}')).status).to.be.oneOf([400, 422])
        for (const path of [
          `/api/v1/schemas?page=${size}`,
          `/api/v1/schemas?size=${size}`,
          `/api/v1/metadata/probe?version=${size}`,
        ]) {
          const { status } = await watched.ask('GET', path)
          expect(status, path.slice(0, 60)).to.be.oneOf([200, 400, 404, 416])
        }
      }
      const occurs = xsd(
        '<xs:element name="a"><xs:complexType><xs:sequence><xs:element name="b" minOccurs="4294967296" maxOccurs="99999999999999999999"/></xs:sequence></xs:complexType></xs:element>',
      )
      expect((await schema(occurs)).status).to.be.oneOf([201, 422])
    })
  })

  it('have no effect on other documents by inherited or repeated members', async () => {
    const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', 'then']
    const all = `{${names.map(name => `"${name}": {"polluted": true, "title": 7}`).join(', ')}}`
    await watched.stands(async () => {
      await kept(await document('any', all), all)
      const twice = '{"title": 1, "title": "b", "__proto__": {"title": 2}, "__proto__": {}}'
      await kept(await document('any', twice), twice)
      const required = await schema(JSON.stringify({ required: names }))
      says(await document(required.body.schemaId, '{}'), 'must have required property')
      // The compiler does not support a property with the name `__proto__`. This schema refuses such a member.
      const known = names.filter(name => name !== '__proto__')
      const properties = Object.fromEntries(known.map(name => [name, { type: 'object' }]))
      const named = await schema(
        `{"$defs": {"__proto__": {"type": "string"}}, "additionalProperties": false, "properties": ${JSON.stringify(properties)}}`,
      )
      expect(named.status, named.text).to.equal(201)
      const others = all.replace(/"__proto__": \{.*?\}, /, '')
      await kept(await document(named.body.schemaId, others), others)
      says(await document(named.body.schemaId, '{"__proto__": 1}'), '__proto__')
      says(await document(named.body.schemaId, '{"other": 1}'), 'other')
      const reference = await schema(
        '{"$ref": "#/$defs/__proto__", "$defs": {"__proto__": {"type": "string"}}}',
      )
      expect(reference.status, reference.text).to.be.oneOf([201, 422])

      const record = JSON.stringify(metadataRecordV1(`http://example.org/${++count}`, 'any'))
      for (const name of names) {
        const more = `{"${name}": {"id": "polluted", "acl": [], "state": "GONE"}, ${record.slice(1)}`
        const answer = await watched.postMetadata(more.replace(/example.org\/\d+/, `x/${++count}`), '{}')
        expect(answer.status, answer.text).to.be.oneOf([201, 400])
        expect(answer.text).to.not.contain('polluted')
        const path = await watched.ask('GET', `/api/v1/schemas/${name}`)
        expect(path.status, name).to.equal(404)
        const query = await watched.ask('GET', `/api/v1/metadata?${name}=x&${name}[a]=1&__proto__[size]=1`)
        expect(query.status, query.text).to.be.oneOf([200, 400])
      }
      const listed = await watched.ask('GET', '/api/v1/schemas/any')
      expect(listed.status).to.equal(200)
    })
  })

  it('are validated, stored and served with the last of two members with the same name', async () => {
    const titled = await schema('{"properties": {"title": {"type": "string"}}, "required": ["title"]}')
    const { schemaId } = titled.body
    const validate = (bytes: string) =>
      watched.send('POST', `/api/v1/schemas/${schemaId}/validate`, [
        filePart('document', 'd', 'application/json', bytes),
      ])
    await watched.stands(async () => {
      for (const good of [
        '{"title": 7, "title": "x"}',
        '{"title": 7, "t\\u0069tle": "x"}',
        '{"title": null, "title": {"title": 1}, "title": "x"}',
      ]) {
        await kept(await document(schemaId, good), good)
        expect((await validate(good)).status, good).to.equal(204)
        expect((JSON.parse(good) as { title: string }).title).to.equal('x')
      }
      for (const bad of ['{"title": "x", "title": 7}', '{"title": "x", "t\\u0069tle": 7}']) {
        says(await document(schemaId, bad), 'must be string')
        says(await validate(bad), 'must be string')
      }

      const typed = await schema('{"type": "string", "type": "object"}')
      expect(typed.status, typed.text).to.equal(201)
      await kept(await document(typed.body.schemaId, '{}'), '{}')
      says(await document(typed.body.schemaId, '"x"'), 'must be object')
      says(await schema('{"type": "object", "type": "nothing"}'), 'type')

      const record = JSON.stringify(metadataRecordV1(`http://example.org/${++count}`, 'any'))
      const [lost, won] = [`lost-${count}`, `won-${count}`]
      const twice = await watched.postMetadata(`{"id": "${lost}", "id": "${won}", ${record.slice(1)}`, '{}')
      expect(twice.status, twice.text).to.equal(201)
      expect(twice.body.id).to.equal(won)
      expect((await watched.ask('GET', `/api/v1/metadata/${won}`)).status).to.equal(200)
      expect((await watched.ask('GET', `/api/v1/metadata/${lost}`)).status).to.equal(404)
      // The stored record has only one id.
      const path = `${recordDirectory('metadata', parseId(won, 'id'))}/record.json`
      const { stdout } = await runProgram('git', ['-C', watched.data, 'show', `HEAD:${path}`])
      expect(stdout.match(/"id"/g)).to.have.length(1)
      expect(JSON.parse(stdout)).to.include({ id: won })
    })
  })

  it('have the encoding that they declare, or are refused', async () => {
    const record = metadataRecordV1('http://example.org/x', 'any')
    const utf8 = (text: string) => Buffer.from(text)
    await watched.stands(async () => {
      const marked = utf8('\ufeff{"title": "é"}')
      await kept(await document('any', marked), marked)
      for (const wrong of [
        Buffer.from([0x22, 0xff, 0x22]),
        Buffer.from([0x22, 0xc0, 0xaf, 0x22]),
        Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]),
        Buffer.from([0x22, 0xf5, 0x80, 0x80, 0x80, 0x22]),
        Buffer.from([0x22, 0xe2, 0x82]),
        utf16('{"title": 1}'),
        utf16('{"title": 1}', true),
        Buffer.from('{"title": 1}', 'utf16le'),
      ]) {
        const answer = await document('any', wrong)
        expect(answer.status, answer.text).to.equal(422)
        expect((await schema(wrong)).status).to.equal(422)
        expect((await watched.postMetadata(wrong, '{}')).status).to.equal(400)
        expect((await watched.postSchema(wrong, '{}')).status).to.equal(400)
      }
      const text = '<a>é</a>'
      for (const good of [
        utf8(`\ufeff${text}`),
        utf16(text),
        utf16(text, true),
        Buffer.from(`<?xml version="1.0" encoding="ISO-8859-1"?>${text}`, 'latin1'),
      ]) {
        await kept(await document('any-xml', good), good)
      }
      for (const wrong of [
        Buffer.from(text, 'latin1'),
        Buffer.concat([utf16('<a>'), Buffer.from([0x00, 0xd8]), utf16('</a>').subarray(2)]),
        utf8(`<?xml version="1.0" encoding="UTF-99"?>${text}`),
        utf8('<a>\0</a>'),
        utf8('<a>&#0;</a>'),
        utf8('<a>&#xffff;</a>'),
        utf8('<?xml version="1.0" encoding="UTF-7"?><a>+ADw-b/+AD4-</a>'),
      ]) {
        expect((await document('any-xml', wrong)).status, wrong.toString()).to.equal(422)
      }
      // Half of a surrogate pair is not a character, and a record must be valid UTF-8.
      for (const half of ['\\ud800', '\\udc00\\ud800']) {
        const broken = JSON.stringify(record).replace('http://example.org/x', `http://x/${++count}${half}`)
        expect((await watched.postMetadata(broken, '{}')).status).to.be.oneOf([201, 400])
      }
    })
  })

  it('are stopped if a pattern takes too long, and other clients are served', async () => {
    const text = JSON.stringify(`${'a'.repeat(60)}!`)
    await watched.stands(async () => {
      for (const [holder, made, found] of [
        [{ pattern: '^(a+)+$' }, text, 'must match pattern'],
        [
          { patternProperties: { '^(a|aa)+$': {} }, additionalProperties: false },
          `{${text}: 1}`,
          'additional properties',
        ],
        [{ propertyNames: { pattern: '^(([a-z])+.)+[A-Z]([a-z])+$' } }, `{${text}: 1}`, 'must match pattern'],
        // No regular expression engine with linear time supports look-ahead.
        [{ pattern: '^(?:(?=a)a+)+$' }, text, `longer than ${validationTime} ms`],
      ] as const) {
        const registered = await schema(JSON.stringify(holder))
        expect(registered.status, registered.text).to.equal(201)
        // More documents than there are workers, if they are stopped.
        const atOnce = found.startsWith('longer') || isLongForm ? workers + 1 : 1
        const answers = await Promise.all(
          Array.from({ length: atOnce }, () => document(registered.body.schemaId, made)),
        )
        for (const answer of answers) says(answer, found)
      }
      for (const pattern of [
        '(a+)+',
        '(a|aa)+',
        '((a{0,50}){0,50}){0,50}',
        '(a?){500}a{500}',
        '[a-z]{1,99999}',
      ]) {
        const type = `<xs:simpleType><xs:restriction base="xs:string"><xs:pattern value="${pattern}"/></xs:restriction></xs:simpleType>`
        const registered = await schema(xsd(`<xs:element name="a">${type}</xs:element>`))
        expect(registered.status, registered.text).to.be.oneOf([201, 422])
        if (registered.status === 422) continue
        const answer = await document(registered.body.schemaId, `<a>${'a'.repeat(5000)}!</a>`)
        expect(answer.status, answer.text).to.equal(422)
      }
    })
  }).timeout(240_000)

  it('are stopped if compiling them takes too long or too much memory', async () => {
    const doubling = (levels: number, keyword: string) => ({
      $ref: '#/$defs/d0',
      $defs: Object.fromEntries(
        Array.from({ length: levels }, (_, n) => [
          `d${n}`,
          n === levels - 1
            ? { type: 'integer' }
            : { [keyword]: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] },
        ]),
      ),
    })
    const groups = xsd(
      `${Array.from({ length: 30 }, (_, n) => `<xs:group name="g${n}"><xs:sequence><xs:group ref="g${n + 1}"/><xs:group ref="g${n + 1}"/></xs:sequence></xs:group>`).join('')}<xs:group name="g30"><xs:sequence><xs:element name="x" minOccurs="0"/></xs:sequence></xs:group><xs:element name="a"><xs:complexType><xs:group ref="g0"/></xs:complexType></xs:element>`,
    )
    const counted = (times: number) =>
      xsd(
        `<xs:element name="a"><xs:complexType><xs:sequence maxOccurs="${times}"><xs:sequence maxOccurs="${times}"><xs:element name="b" maxOccurs="${times}" minOccurs="0"/></xs:sequence></xs:sequence></xs:complexType></xs:element>`,
      )
    const properties = Object.fromEntries(
      Array.from({ length: isLongForm ? 20_000 : 200 }, (_, n) => [
        `p${n}`,
        { type: 'string', pattern: `^${n}$` },
      ]),
    )
    await watched.stands(async () => {
      for (const [keyword, ...depths] of [
        ['allOf', 10, 40],
        ['anyOf', 40],
        ['oneOf', 40],
      ] as const) {
        for (const levels of depths) {
          const registered = await schema(JSON.stringify(doubling(levels, keyword)))
          expect(registered.status, registered.text).to.be.oneOf([201, 422])
          if (registered.status === 422) continue
          const answer = await document(registered.body.schemaId, '"x"')
          expect(answer.status, answer.text.slice(0, 300)).to.equal(422)
        }
      }
      for (const text of [
        groups,
        counted(1000),
        counted(100_000),
        JSON.stringify({ properties }),
        JSON.stringify({ enum: Array.from({ length: 200_000 }, (_, n) => n) }),
        JSON.stringify({ required: Array.from({ length: 50_000 }, (_, n) => `r${n}`) }),
        JSON.stringify({
          allOf: Array.from({ length: isLongForm ? 20_000 : 8000 }, (_, n) => ({ not: { const: n } })),
        }),
      ]) {
        const registered = await schema(text)
        expect(registered.status, text.slice(0, 200)).to.be.oneOf([201, 422])
        if (registered.status === 422) continue
        const answer = await document(registered.body.schemaId, text.startsWith('<') ? '<a/>' : '{}')
        expect(answer.status, text.slice(0, 200)).to.be.oneOf([201, 422])
      }
    })
  }).timeout(240_000)

  it('are decided soon if all items are compared, or if very many are wrong', async () => {
    const unique = await schema(JSON.stringify({ uniqueItems: true }))
    const items = Array.from({ length: 10_000 }, (_, n) => ({ n, toString: { constructor: n } }))
    const wrong = await schema(
      JSON.stringify({ items: { required: Array.from('abcdefghij'), minProperties: 1 } }),
    )
    await watched.stands(async () => {
      expect((await document(unique.body.schemaId, JSON.stringify(items))).status).to.equal(201)
      says(await document(unique.body.schemaId, JSON.stringify([...items, items[7]])), 'items ## 7 and 10000')
      says(await document(wrong.body.schemaId, `[${'{},'.repeat(100_000)}{}]`), 'more than 950 more findings')
    })
  })

  it('do not exceed the memory limit', async () => {
    const large = `[${'[],'.repeat((isLongForm ? 5 : 2.5) * mebibyte)}1]`
    const members = `{${Array.from({ length: isLongForm ? mebibyte : mebibyte / 2 }, (_, n) => `"${n}":{}`).join(',')}}`
    const elements = `<a>${'<b/>'.repeat((isLongForm ? 3.9 : 2) * mebibyte)}</a>`
    const attributes = `<a>${`<b ${Array.from({ length: 10_000 }, (_, n) => `a${n}=""`).join(' ')}/>`.repeat(150)}</a>`
    const strings = await schema(JSON.stringify({ items: { type: 'string' } }))
    await watched.stands(
      async () => {
        // At least one request for each worker, with the most expensive documents.
        for (const [schemaId, text, atOnce] of [
          ['any', large, isLongForm ? 3 : 1],
          [strings.body.schemaId, members, isLongForm ? 3 : 1],
          ['any-xml', elements, isLongForm ? 3 : 1],
          ['any-xml', attributes, isLongForm ? 3 : 1],
        ] as const) {
          const answers = await Promise.all(Array.from({ length: atOnce }, () => document(schemaId, text)))
          for (const answer of answers) expect(answer.status, answer.text).to.be.oneOf([201, 422, 503])
        }
      },
      { memory: 1024 },
    )
  }).timeout(240_000)
})
