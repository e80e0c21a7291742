import { constants } from 'node:buffer'
import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { ProblemError } from '../../../src/core/problem.js'
import { openValidator } from '../../../src/validation/open-validator.js'
import type { Validator, ValidatorOptions } from '../../../src/validation/validator.js'
import { openTaskExecutor } from '../../../src/validation/workers/task-executor.js'
import { busyFactor, openTimeLimit } from '../../../src/validation/workers/time-limit.js'
import {
  jsonSchemaBundle,
  reasonWithoutLibxmljs2,
  utf8Bytes,
  xsd,
  xsdBundle,
} from '../../support/data/schema-bundles.js'
import { isLongForm } from '../../support/program/long-form.js'
import { waitUntil } from '../../support/repository/test-repository.js'

/** Takes exponential time. Engines with linear time do not support look-ahead. */
const exploding = '^(?:(?=a)a+)+$'
const slow = jsonSchemaBundle({ pattern: exploding })
const slowText = utf8Bytes(JSON.stringify(`${'a'.repeat(40)}b`))
const quick = jsonSchemaBundle({ type: 'string' })
const quickText = utf8Bytes('"a"')

/** Groups that double twenty-five times. Three kilobytes expand to gigabytes. */
const bomb = xsdBundle(
  xsd(
    `${Array.from({ length: 25 }, (_, n) => `<xs:group name="g${n}"><xs:sequence><xs:group ref="g${n + 1}"/><xs:group ref="g${n + 1}"/></xs:sequence></xs:group>`).join('')}
    <xs:group name="g25"><xs:sequence><xs:element name="x" minOccurs="0"/></xs:sequence></xs:group>
    <xs:element name="a"><xs:complexType><xs:group ref="g0"/></xs:complexType></xs:element>`,
  ),
)
const plain = xsdBundle(xsd('<xs:element name="a" type="xs:string"/>'))

describe('the limits of validation', () => {
  const opened: Validator[] = []
  const open = (options: ValidatorOptions) => {
    const validator = openValidator(options)
    opened.push(validator)
    return validator
  }
  afterEach(() => Promise.all(opened.splice(0).map(validator => validator.close())))

  it('end a pattern that takes too long, and waiting tasks continue', async () => {
    const validator = open({ workers: 1, timeLimit: 300 })

    const [stopped, ...others] = await Promise.all([
      validator.validate(slow, slowText),
      ...Array.from({ length: 20 }, () => validator.validate(quick, quickText)),
    ])

    expect(stopped?.[0]?.message).to.contain('longer than 300 ms')
    expect(stopped).to.have.length(1)
    for (const findings of others) expect(findings).to.deep.equal([])
    expect(await validator.validate(quick, utf8Bytes('1'))).to.have.length(1)
  })

  it('end workers that have had no task for long, and later tasks start others', async () => {
    const validator = open({ workers: 1, idleTime: 100 })
    validator.prepare()
    for (let round = 0; round < 2; round++) {
      expect(await validator.validate(quick, quickText)).to.deep.equal([])
      expect(await validator.validate(quick, utf8Bytes('1'))).to.have.length(1)
      await waitUntil('the end of the workers', () => validator.figures().workers === 0)
    }
  })

  it('do not stop the sending of an answer, so that no task gets two answers', () => {
    let sent = 0
    const carryOut = openTaskExecutor(
      () => {
        throw new Error('There is no XML.')
      },
      100,
      openTimeLimit(20),
      () => {
        sent++
        const end = performance.now() + 100
        while (performance.now() < end);
      },
    )
    const task = { kind: 'validate', key: quick.key, bundle: quick, document: quickText } as const

    carryOut({ tasks: [{ kind: 'check', bundle: quick }], stops: 0 })
    carryOut({ tasks: [task], stops: 0 })
    carryOut({ tasks: [task, task], stops: 0 })
    expect(sent).to.equal(3)
  })

  it('grow for work that was stopped because other processes had the processor', () => {
    const busy = (limit: number) => [0, 1, 2, 3, 4].map(stops => limit * busyFactor(limit, stops))

    expect(busy(100)).to.deep.equal([100, 300, 900, 2700, 3000])
    expect(busy(10_000)).to.deep.equal([10_000, 30_000, 30_000, 30_000, 30_000])
  })

  it('do not apply to many schemas that refer to one another twice', async () => {
    const validator = open({ workers: 1, timeLimit: 3000, memoryLimit: 64 })
    for (const [make, first, refer] of [
      [jsonSchemaBundle, '{"type": "string"}', '{"allOf": [{"$ref": "a"}, {"$ref": "b"}]}'],
      [
        xsdBundle,
        xsd('<xs:element name="n"/>'),
        xsd('<xs:include schemaLocation="a"/><xs:include schemaLocation="b"/>'),
      ],
    ] as const) {
      let schema = make(first)
      // Each step doubles the number of paths to the first schema, up to 2^40.
      for (let step = 0; step < 40; step++) schema = make(refer, {}, { a: schema, b: schema })

      expect(await validator.references(schema.type, schema.document, schema.files)).to.have.property(
        'missing',
      )
      const findings = await validator.check(schema)
      expect(JSON.stringify(findings)).to.not.contain('stopped')
    }
  })

  it('do not count the time in the queue', async () => {
    const validator = open({ workers: 1, timeLimit: 250 })

    const all = await Promise.all([
      ...Array.from({ length: 2 }, () => validator.validate(slow, slowText)),
      validator.validate(quick, quickText),
    ])

    expect(all.map(findings => findings.length)).to.deep.equal([1, 1, 0])
  })

  it('let quick tasks overtake slow ones', async () => {
    const validator = open({ workers: 2, timeLimit: 1500 })
    const both = jsonSchemaBundle({ anyOf: [{ type: 'number' }, { type: 'string', pattern: exploding }] })
    // Both workers have compiled the schema afterwards.
    await Promise.all(Array.from({ length: 8 }, () => validator.validate(both, utf8Bytes('1'))))
    let slowEnded = false
    const stopped = validator.validate(both, slowText).then(findings => {
      slowEnded = true
      return findings
    })
    const others = Array.from({ length: 40 }, (_, n) =>
      validator.validate(both, utf8Bytes(n % 4 ? '1' : 'true')),
    )

    const found = await Promise.all(others)

    expect(slowEnded).to.equal(false)
    for (const [n, findings] of found.entries()) expect(findings.length > 0).to.equal(n % 4 === 0)
    expect((await stopped)[0]?.message).to.contain('longer than 1500 ms')
  })

  it('lose no task before or after a document that was stopped', async () => {
    const validator = open({ workers: 1, timeLimit: 800 })
    const both = jsonSchemaBundle({ anyOf: [{ type: 'number' }, { type: 'string', pattern: exploding }] })
    await validator.validate(both, utf8Bytes('1'))
    const texts = [
      ...Array.from({ length: 9 }, (_, n) => utf8Bytes(n % 3 ? '1' : 'true')),
      slowText,
      utf8Bytes('1'),
    ]

    // The first task starts at once. The other tasks wait together.
    const found = await Promise.all(texts.map(text => validator.validate(both, text)))

    expect(found.map(findings => findings.length > 0)).to.deep.equal(
      texts.map((text, n) => text === slowText || (n < 9 && n % 3 === 0)),
    )
    expect(found[9]?.[0]?.message).to.contain('longer than 800 ms')
  })

  it('end a document that needs too much memory', async () => {
    const validator = open({ workers: 1, memoryLimit: 24, timeLimit: 60_000 })
    const large = utf8Bytes(`[${'{"a":[]},'.repeat(1_000_000)}1]`)

    const findings = await validator.validate(jsonSchemaBundle({ items: { type: 'string' } }), large)

    expect(findings).to.have.length(1)
    expect(findings[0]?.message).to.contain('24 MiB')
    expect(await validator.validate(quick, quickText)).to.deep.equal([])
  })

  it('do not affect waiting tasks if memory runs out while a document is stopped', async () => {
    const greedy = jsonSchemaBundle({ uniqueItems: true })
    const large = utf8Bytes(JSON.stringify(Array.from({ length: 400_000 }, (_, n) => ({ a: [n] }))))
    // The time at which memory runs out depends on the machine. Some of these limits end just before.
    for (let timeLimit = 300; timeLimit <= 800; timeLimit += isLongForm ? 50 : 400) {
      const validator = open({ workers: 1, memoryLimit: 48, timeLimit })
      await validator.validate(quick, quickText)

      const found = await Promise.all(
        [large, quickText, large, quickText].map((text, n) =>
          validator.validate(n % 2 === 0 ? greedy : quick, text),
        ),
      )

      for (const n of [0, 2]) expect(found[n]?.[0]?.message).to.match(/longer than|more than 48 MiB/)
      // On a busy machine the small document may also exceed the time limit. No other finding is correct.
      for (const n of [1, 3]) expect(found[n]?.[0]?.message ?? 'longer than').to.contain('longer than')
    }
  })

  it('are reported for a document that exceeds the length of a string', async () => {
    const validator = open({ workers: 1 })
    const endless = new Uint8Array(constants.MAX_STRING_LENGTH + 1)

    for (const schema of [quick, plain]) {
      const findings = await validator.validate(schema, endless)
      expect(findings.map(({ message }) => message)).to.deep.equal([
        'Checking it needs more than 256 MiB of memory and was stopped.',
      ])
    }
    expect(await validator.validate(quick, quickText)).to.deep.equal([])
  })

  it('end an XML schema that needs too much memory', async () => {
    const validator = open({ workers: 1, memoryLimit: 64, timeLimit: 60_000 })

    const findings = await validator.check(bomb)

    expect(findings).to.have.length(1)
    expect(findings[0]?.message).to.contain('64 MiB')
    expect(await validator.validate(plain, utf8Bytes('<a/>'))).to.deep.equal([])
  })

  it('apply to large XML documents too', async () => {
    const validator = open({ workers: 1, memoryLimit: 32 })
    const large = utf8Bytes(`<a>${'<b/>'.repeat(1_000_000)}</a>`)

    expect((await validator.validate(plain, large))[0]?.message).to.contain('32 MiB')
    expect(await validator.validate(plain, utf8Bytes('<a/>'))).to.deep.equal([])
  })

  it('apply to the second XML engine', async function () {
    const reason = await reasonWithoutLibxmljs2()
    if (reason !== undefined) {
      console.log(`      skipped: ${reason}`)
      this.skip()
    }
    const folders = async () =>
      (await readdir(tmpdir())).filter(name => name.startsWith('git-metastore-xsd-'))
    const before = await folders()
    const validator = open({ xmlEngine: 'libxmljs2', workers: 1, timeLimit: 1000 })

    const [stopped, next] = await Promise.all([
      validator.check(bomb),
      validator.validate(plain, utf8Bytes('<a/>')),
    ])

    expect(stopped).to.have.length(1)
    expect(stopped[0]?.message).to.match(/longer than 1000 ms|256 MiB/)
    expect(next).to.deep.equal([])
    await validator.close()
    expect(await folders()).to.deep.equal(before)
  })
})

describe('a validator', () => {
  it('answers many concurrent calls', async () => {
    const validator = openValidator({ workers: 2 })
    const schemas = Array.from({ length: 100 }, (_, n) => jsonSchemaBundle({ const: n }))

    const verdicts = await Promise.all(
      Array.from({ length: isLongForm ? 1000 : 300 }, async (_, n) => {
        const schema = schemas[n % 100] ?? quick
        const [right, wrong] = await Promise.all([
          validator.validate(schema, utf8Bytes(`${n % 100}`)),
          validator.validate(schema, utf8Bytes('"other"')),
        ])
        return right.length === 0 && wrong.length === 1
      }),
    )
    await validator.close()

    expect(verdicts.every(Boolean)).to.equal(true)
  })

  it('continues beyond the number of schemas that a worker may compile', async () => {
    const validator = openValidator({ workers: 1 })
    const results: number[] = []
    for (let batch = 0; batch < 11; batch++) {
      const findings = await Promise.all(
        Array.from({ length: 100 }, (_, n) =>
          validator.check(xsdBundle(xsd(`<xs:element name="a${batch * 100 + n}"/>`))),
        ),
      )
      results.push(findings.flat().length)
    }
    const again = await validator.validate(xsdBundle(xsd('<xs:element name="a1"/>')), utf8Bytes('<a1/>'))
    await validator.close()

    expect(results).to.deep.equal(Array(11).fill(0))
    expect(again).to.deep.equal([])
  })

  it('accepts documents that are views into larger buffers, and does not change them', async () => {
    const validator = openValidator({ workers: 1 })
    const pool = Buffer.from('....{"a": 1}....')
    const view = pool.subarray(4, 12)

    expect(await validator.validate(jsonSchemaBundle({ required: ['a'] }), view)).to.deep.equal([])
    await validator.close()

    expect(view.toString()).to.equal('{"a": 1}')
  })

  it('completes accepted tasks when it is closed, and accepts no more', async () => {
    const validator = openValidator({ workers: 1 })
    const accepted = [validator.validate(quick, quickText), validator.check(plain)]

    await validator.close()

    expect(await Promise.all(accepted)).to.deep.equal([[], []])
    const refused = await validator.validate(quick, quickText).catch((error: unknown) => error)
    expect(refused).to.be.instanceOf(ProblemError).and.include({ kind: 'unavailable' })
  })

  it('can be closed without use, and twice', async () => {
    const validator = openValidator({})
    await validator.close()
    await validator.close()
  })

  for (const xmlEngine of ['libxml2-wasm', 'libxmljs2'] as const) {
    it(`does not keep a process alive while it is idle, with ${xmlEngine}`, async function () {
      const reason = xmlEngine === 'libxmljs2' ? await reasonWithoutLibxmljs2() : undefined
      if (reason !== undefined) {
        console.log(`      skipped: ${reason}`)
        this.skip()
      }
      const program = `
        import { openValidator } from ${JSON.stringify(new URL('../../../src/validation/open-validator.js', import.meta.url))}
        const validator = openValidator({ workers: 1, xmlEngine: '${xmlEngine}' })
        const empty = { key: 'k', files: new Map(), registered: new Map() }
        const text = new TextEncoder()
        const json = { ...empty, type: 'JSON', document: text.encode('{"type": "array"}') }
        const xml = { ...empty, key: 'x', type: 'XML', document: text.encode('<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"/>') }
        const found = [await validator.validate(json, text.encode('[]')), await validator.check(xml)]
        process.stdout.write(found.flat().length + '\\n')`

      const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
        timeout: 120_000,
      })

      expect(stdout).to.equal('0\n')
    })
  }
})
