// test-schedule: quick
import { expect } from 'chai'
import { openValidator } from '../../../src/validation/open-validator.js'
import type { Validator } from '../../../src/validation/validator.js'
import { jsonSchemaBundle, utf8Bytes } from '../../support/data/schema-bundles.js'

const draft07 = 'http://json-schema.org/draft-07/schema#'

/** Texts of each format of draft-07. */
const formats: Readonly<
  Record<string, { readonly valid: readonly string[]; readonly invalid: readonly string[] }>
> = {
  'date-time': {
    valid: [
      '2024-02-29T00:00:00Z',
      '2024-02-29t23:59:59.123456789012345678z',
      '1999-01-01T05:29:59.9999999999999999+05:30',
      '2016-12-31T23:59:60Z',
      '2016-12-31T18:59:60-05:00',
      '2017-01-01T05:29:60.5+05:30',
      '0000-01-01T00:00:00-00:00',
    ],
    invalid: [
      '2023-02-29T00:00:00Z',
      '2024-02-29 00:00:00Z',
      '2024-02-29T00:00:00',
      '2024-02-29T00:00:00+0100',
      '2024-02-29T00:00:00+01',
      '2024-02-29T00:00:00+01:0',
      '2024-02-29T24:00:00Z',
      '2024-02-29T00:00Z',
      '2024-02-29T00:00:00.Z',
      '2024-02-29T00:00:00,5Z',
      '2016-12-31T22:59:60Z',
      '2016-12-31T23:59:60+05:00',
      '2016-12-15T23:59:60Z',
      '2024-02-29T00:00:00Z\n',
      '2024-02-29T00:00:00+24:00',
    ],
  },
  date: {
    valid: ['2000-02-29'],
    invalid: ['1900-02-29', '2024-13-01', '2024-00-10', '2024-01-00', '2024-1-1', '٢٠٢٤-01-01'],
  },
  time: {
    valid: ['00:00:00Z', '23:59:60z', '01:29:60+01:30', '12:00:00.000-00:00'],
    invalid: [
      '12:00:00',
      '12:00:00+1',
      '12:00:00+0130',
      '12:00:60Z',
      '23:59:60+01:00',
      '24:00:00Z',
      '12:00Z',
      '1٢:00:00Z',
    ],
  },
  email: {
    valid: [
      'a@example.org',
      "o'hara+x=y@a-b.example",
      '"a b"@example.org',
      '"\\""@example.org',
      'a@[192.0.2.7]',
      'a@[IPv6:2001:db8::1]',
      'a@localhost',
    ],
    invalid: [
      'a',
      '@example.org',
      'a@',
      'a b@example.org',
      'a@-x.org',
      'a@x_y.org',
      'a@x..org',
      'a..b@example.org',
      'a@[300.0.0.1]',
      'é@example.org',
      'a@é.org',
      'a@b@example.org',
    ],
  },
  'idn-email': {
    valid: ['é@example.org', 'δοκιμή@παράδειγμα.δοκιμή', '"é é"@example.org', 'a@[192.0.2.7]'],
    invalid: ['é', 'é@', 'é é@example.org', 'é@-é.org', 'é@a\u0300\u200d.org', 'é.@example.org'],
  },
  hostname: {
    valid: [
      'example.org',
      'a',
      '1a.2b',
      'xn--bcher-kva.example',
      'XN--BCHER-KVA.example',
      'a--b',
      `${'a'.repeat(63)}.org`,
    ],
    invalid: [
      '',
      '.',
      'example.org.',
      '-a',
      'a-',
      'a_b',
      'a..b',
      'é.org',
      'xn--',
      'xn--a',
      'xn--0',
      `${'a'.repeat(64)}.org`,
      Array(129).fill('a').join('.'),
    ],
  },
  'idn-hostname': {
    valid: ['bücher.example', '例え.テスト', 'xn--bcher-kva', 'faß.de', '例え。テスト', 'לוח.example'],
    invalid: [
      '',
      '-ü',
      'ü-',
      'a\u0640',
      'ü..de',
      '\u0301a',
      'a b',
      'a\u200db',
      'ü'.repeat(70),
      `${'ü.'.repeat(200)}de`,
      'ü.',
    ],
  },
  ipv4: {
    valid: ['0.0.0.0', '255.255.255.255'],
    invalid: ['256.0.0.1', '01.0.0.1', '1.2.3', '1.2.3.4.5', '1.2.3.4 ', '١.2.3.4'],
  },
  ipv6: {
    valid: ['::', '::1', '2001:db8::1', '::ffff:192.0.2.1', '1:2:3:4:5:6:7:8'],
    invalid: ['1:2:3:4:5:6:7', '1::2::3', '::1%eth0', '12345::', '::ffff:192.0.2.01', ':::'],
  },
  uri: {
    valid: [
      'http://example.org/a?b#c',
      'urn:isbn:1',
      'mailto:a@b',
      'http://[::1]:80/',
      'http://[v7.x]/',
      'x:',
      'http://a:/',
    ],
    invalid: [
      '/a',
      'a',
      'http://a b',
      'http://a/é',
      'http://a:b',
      'http://[::1',
      'http://a/[b]',
      'http://a/%zz',
      '1x:a',
      'http://a\\b',
      'http://a/"b"',
      'http://[::ffff:1.2.3.04]',
    ],
  },
  'uri-reference': {
    valid: ['', 'a', '../b', '//c/d', '#e', '?f', './a:b', 'http://a/b'],
    invalid: ['a:b c', '\\a', '1:b', '#[', '//a:b', 'é', '//a@b@c', '<a>'],
  },
  iri: {
    valid: ['http://exämple.org/ß?ü#é', 'urn:é', 'http://例え/'],
    invalid: ['ä', '/ä', 'http://a/ b', 'http://a\\é', 'http://a/\ue000', '\\\\ä\\b'],
  },
  'iri-reference': {
    valid: ['ä', '/ä', '#é', '//é/ü', '', '?\ue000'],
    invalid: ['\\ä', 'ä b', '#\\é', 'ä<', '{é}'],
  },
  'uri-template': {
    valid: ['', 'a', '/{a}{?b,c*}{#d:12}', "it's", '{a.b}', '{%41}', 'é{x}', '{|x}'],
    invalid: [
      '{',
      '}',
      '{}',
      '{a',
      '{a,}',
      '{a..b}',
      '{a:0}',
      '{a:10000}',
      '{a b}',
      '{$a}',
      'a b',
      '%4',
      '<a>',
      'a\u007f',
    ],
  },
  regex: {
    valid: ['', '^a[bc]+$', '\\-', '\\p{L}', '(?<n>a)\\k<n>', '(?<=a+)b', '[]'],
    invalid: ['(', '[a', '*', '\\a', '(?i)a', '(?P<n>a)', 'a{2,1}', '(?<n>'],
  },
  'json-pointer': { valid: ['', '/', '/a~0~1/0', '/é'], invalid: ['a', '/~', '/~2', '#/a'] },
  'relative-json-pointer': { valid: ['0', '1/a', '12#'], invalid: ['/a', '-1', '01', '0##', 'a'] },
}

describe('formats of draft-07', () => {
  let validator: Validator
  before(() => {
    validator = openValidator({ workers: 1 })
  })
  after(() => validator.close())

  const isValid = async (schema: object, document: unknown) =>
    (await validator.validate(jsonSchemaBundle(schema), utf8Bytes(JSON.stringify(document)))).length === 0

  for (const [format, { valid, invalid }] of Object.entries(formats)) {
    it(`${format} is asserted as its standard says`, async () => {
      const schema = { $schema: draft07, format }
      const wrong: string[] = []
      for (const text of valid) if (!(await isValid(schema, text))) wrong.push(`refused: ${text}`)
      for (const text of invalid) if (await isValid(schema, text)) wrong.push(`accepted: ${text}`)
      expect(wrong).to.deep.equal([])
      expect(await isValid(schema, 7), 'other types of values').to.equal(true)
      expect(
        await isValid({ ...schema, $schema: 'https://json-schema.org/draft/2020-12/schema' }, '{ \\'),
      ).to.equal(true)
    })
  }

  it('are unknown to drafts that do not have them', async () => {
    for (const format of ['iri', 'iri-reference', 'idn-email', 'idn-hostname']) {
      for (const draft of ['draft-04', 'draft-06']) {
        expect(await isValid({ $schema: `http://json-schema.org/${draft}/schema#`, format }, '\\ ')).to.equal(
          true,
        )
      }
    }
    expect(await isValid({ $schema: draft07, format: 'uuid' }, 'x')).to.equal(true)
  })

  it('are decided for long texts, too', async () => {
    const pieces = [
      'a',
      'é',
      'a.',
      'xn--a',
      '0:',
      'a@',
      '"\\"',
      '{a}',
      '{a.',
      '%41',
      '/~0',
      '((a)',
      '[a',
      '\u0640.',
      '1.',
      '[::',
    ]
    const hosts = ['', 'http://', 'a@', '"', '/']
    for (const format of Object.keys(formats)) {
      // In one document, so that the test is short.
      const texts = pieces.flatMap(piece =>
        hosts.map(host => `${host}${piece.repeat(20_000 / piece.length)}\\`),
      )
      const findings = await validator.validate(
        jsonSchemaBundle({ $schema: draft07, items: { format } }),
        utf8Bytes(JSON.stringify(texts)),
      )
      expect(
        findings.filter(({ message }) => /stopped|recurses/.test(message)),
        format,
      ).to.deep.equal([])
    }
  })

  it('may be wrong in a schema where no engine minds', async () => {
    for (const schema of [{ pattern: '[\\_\\-]\\:' }, { $id: 'http://example.org/a"b' }]) {
      expect(await validator.check(jsonSchemaBundle({ $schema: draft07, ...schema }))).to.deep.equal([])
    }
  })
})
