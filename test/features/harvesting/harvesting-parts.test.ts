// test-schedule: quick
import { createHash, createHmac } from 'node:crypto'
import { expect } from 'chai'
import type { Oid } from '../../../src/core/value-types.js'
import { embeddedXml } from '../../../src/features/harvesting/lists/embedded-xml.js'
import { openResumptionTokens } from '../../../src/features/harvesting/lists/resumption-token.js'
import { openSchemaNamespaces } from '../../../src/service/rules/schema-namespaces.js'

const first = '5f2a1c0d9b8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a' as Oid

/** A forged token. The forger knows the first commit. */
function forged(text: string): string {
  const key = createHash('sha256').update(`git-metastore resumption token\n${first}`).digest()
  const bytes = Buffer.from(text)
  const code = createHmac('sha256', key).update(bytes).digest().subarray(0, 8)
  return Buffer.concat([code, bytes]).toString('base64url')
}

describe('A resumption token', () => {
  const fields = [1, first, 'ListRecords', 'oai_dc', null, 0, null, 5, 'a', 100, 734]
  const tokens = openResumptionTokens(first)

  it('is read back', () => {
    const token = forged(JSON.stringify(fields))
    const found = tokens.decode(token)

    expect(found).to.deep.equal({
      ...{ verb: 'ListRecords', prefix: 'oai_dc', from: 0, commit: first },
      ...{ after: { time: 5, id: 'a' }, count: 100, total: 734 },
    })
    expect(found && tokens.encode(found)).to.equal(token)
  })

  it('with a correct code and other fields is refused', () => {
    for (const at of fields.keys())
      for (const wrong of [{}, [], true, 0.5, 1e300]) {
        const others = fields.map((right, place): unknown => (place === at ? wrong : right))
        expect(tokens.decode(forged(JSON.stringify(others))), `${at} ${wrong}`).to.equal(undefined)
      }
    for (const text of ['', 'x', 'null', '{}', '[]', JSON.stringify(fields.slice(1))])
      expect(tokens.decode(forged(text)), text).to.equal(undefined)
  })
})

describe('The namespace of an XML schema', () => {
  it('is read once for each schema document, and is empty if the schema has none', async () => {
    const texts = new Map([
      ['a', '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:a&amp;b"/>'],
      ['b', '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"/>'],
    ])
    const read: string[] = []
    const namespaceOf = openSchemaNamespaces({
      async read(oid) {
        read.push(oid)
        return Buffer.from(texts.get(oid) ?? '')
      },
    })
    const found: string[] = []
    for (const oid of ['a', 'b', 'a', 'b']) found.push(await namespaceOf({ document: oid as Oid }))
    expect(found).to.deep.equal(['urn:a&b', '', 'urn:a&b', ''])
    expect(read).to.deep.equal(['a', 'b'])
  })
})

describe('An XML document as a part of another one', () => {
  it('is complete, even after megabytes of comments', () => {
    const comment = `<!--${'x'.repeat(1_000_000)}-->`
    const root = `<a>${'ü'.repeat(400_000)}</a>`
    const document = Buffer.from(comment.repeat(20) + root)

    expect([...embeddedXml(document).pieces()].join('')).to.equal(root.replace('<a', '<a xmlns=""'))
  })
})
