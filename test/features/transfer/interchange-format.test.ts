// test-schedule: quick
import { expect } from 'chai'
import fc from 'fast-check'
import { ProblemError } from '../../../src/core/problem.js'
import { decodeContent, encodeContent } from '../../../src/features/transfer/file-content.js'
import type { SourceItem } from '../../../src/features/transfer/interchange-format.js'
import { readLines } from '../../../src/features/transfer/read-json-lines.js'

/** Encodes bytes as JSON and decodes them again. */
function carried(bytes: Uint8Array): Buffer {
  return decodeContent(JSON.parse(encodeContent(bytes)), 'It')
}

async function read(...chunks: readonly (string | Uint8Array)[]): Promise<readonly SourceItem[]> {
  async function* source() {
    for (const chunk of chunks) yield Buffer.from(chunk)
  }
  const found = []
  for await (const one of readLines(source())) found.push(one)
  return found
}

/** The fault of a line. */
async function faultOf(line: string): Promise<string> {
  const [found] = await read(line)
  if (!(found?.content instanceof ProblemError)) throw new Error('The line has no fault.')
  return found.content.message
}

describe('the content of a file in the interchange format', () => {
  it('keeps any bytes exactly', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), bytes => {
        expect(carried(bytes).equals(bytes)).to.equal(true)
      }),
    )
  })

  it('keeps JSON in any notation exactly', () => {
    const indents = fc.constantFrom<number | string | undefined>(undefined, 1, 2, 3, 4, '\t', '  \t')
    const spelled = fc
      .tuple(
        fc.json({ maxDepth: 3 }),
        indents,
        fc.constantFrom('', '\n', '\r\n', ' '),
        fc.constantFrom('', '\ufeff'),
      )
      .map(([json, indent, end, mark]) => mark + JSON.stringify(JSON.parse(json), undefined, indent) + end)
    fc.assert(
      fc.property(fc.oneof(spelled, fc.json()), text => {
        expect(carried(Buffer.from(text)).toString()).to.equal(text)
      }),
    )
  })

  it('keeps JSON exactly if its text has more information than its value', () => {
    const odd = [
      '{"a":1,"a":2}',
      '{"a":1.0}',
      '{"b":1,"1":2}',
      '{"a":1e400}',
      '{"__proto__":1}',
      '{"a":"\\u0041"}',
    ]
    for (const text of odd) expect(carried(Buffer.from(text)).toString()).to.equal(text)
  })

  it('keeps JSON as JSON, and text as text', () => {
    const encoded = (bytes: string | readonly number[]) => encodeContent(Buffer.from(bytes as string))
    expect(encoded('{\n  "a": {}\n}\n')).to.equal('{"json":{"a":{}},"indent":2,"newline":true}')
    expect(encoded('[\n\t1\n]')).to.equal('{"json":[1],"indent":"\\t"}')
    expect(encoded('{"a":[1]}')).to.equal('{"json":{"a":[1]}}')
    expect(encoded('<a>ä</a>')).to.equal('{"text":"<a>ä</a>"}')
    expect(encoded([0x3c, 0xe4])).to.equal('{"base64":"POQ="}')
  })
})

describe('lines of the interchange format', () => {
  const record = {
    schema: { schemaId: 'note' },
    relatedIdentifiers: [{ value: 'x', relationType: 'IS_METADATA_FOR' }],
  }
  const line = JSON.stringify({ kind: 'metadata', id: 'a', record, document: { text: '{}' } })

  it('are read from any chunks, and counted from 1', async () => {
    const bytes = Buffer.from(`\n${line.replace('"a"', '"ä"')}\r\n  \n${line}`)
    const places = (await read(...[...bytes].map(byte => Uint8Array.of(byte)))).map(({ place }) => place)
    expect(places).to.deep.equal(['line 2', 'line 4'])
  })

  it('give a record without an id an id that depends on its resource', async () => {
    const anonymous = (about: object) =>
      JSON.stringify({ kind: 'metadata', record: { ...record, ...about }, document: { text: '{}' } })
    const other = { relatedIdentifiers: [{ value: 'y', relationType: 'IS_METADATA_FOR' }] }
    const ids = (
      await read([anonymous({}), anonymous({ titles: [{ value: 't' }] }), anonymous(other)].join('\n'))
    ).map(({ content }) => 'id' in content && content.id)
    expect(ids[0]).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(ids[1]).to.equal(ids[0])
    expect(ids[2]).not.to.equal(ids[0])
  })

  it('are refused with a reason', async () => {
    expect(await faultOf('{"kind": "metadata"')).to.contain('not well-formed JSON')
    expect(await faultOf('[]')).to.contain('object')
    expect(await faultOf('{"kind":"book"}')).to.contain('"schema" or "metadata"')
    expect(await faultOf(line.replace('"id"', '"name"'))).to.contain('"name"')
    expect(await faultOf(line.replace('"a"', '"a b"'))).to.contain('"a b"')
    expect(await faultOf(line.replace('{"text":"{}"}', '"{}"'))).to.contain('"document"')
    expect(await faultOf(line.replace('{"text":"{}"}', '{"base64":"%"}'))).to.contain('"document"')
    expect(await faultOf(line.replace('"kind"', '"revision":0,"kind"'))).to.contain('"revision"')
    expect(await faultOf(line.replace('"kind"', '"author":"Ada","kind"'))).to.contain('"author"')
    expect(await faultOf(line.replace('"kind"', '"time":"noon","kind"'))).to.contain('noon')
  })

  it('may have unlimited nesting', async () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
    expect(carried(Buffer.from(deep)).toString()).to.equal(deep)
    expect(await faultOf(line.replace('{"text":"{}"}', `{"json":${deep}}`))).to.contain('nested too deeply')
  })

  it('of a newer format are refused as a whole', async () => {
    let thrown: unknown
    await read(`{"kind":"interchange","version":2}\n${line}\n`).catch(error => {
      thrown = error
    })
    expect(thrown).to.be.instanceOf(ProblemError).with.property('message').that.contains('Upgrade')
  })
})
