import { expect } from 'chai'
import fc from 'fast-check'
import { ProblemError } from '../../../src/core/problem.js'
import { openFairQueue, type Waiting } from '../../../src/core/scheduling/fair-queue.js'
import { openValidator } from '../../../src/validation/open-validator.js'
import type { Validator, Work } from '../../../src/validation/validator.js'
import { jsonSchemaBundle, utf8Bytes } from '../../support/data/schema-bundles.js'
import { isLongForm } from '../../support/program/long-form.js'

describe('the task queue', () => {
  const entry = fc.record({ client: fc.constantFrom('a', 'b', 'c'), isUrgent: fc.boolean() })

  it('property: returns each entry once, and keeps the order of a client', () => {
    fc.assert(
      fc.property(fc.array(fc.option(entry), { maxLength: 60 }), steps => {
        const queue = openFairQueue<Waiting & { readonly number: number }>()
        const added: { number: number }[] = []
        const taken: (Waiting & { readonly number: number })[] = []
        for (const step of steps) {
          if (step) {
            const made = { ...step, number: added.length }
            added.push(made)
            queue.add(made)
            continue
          }
          const next = queue.next()
          const found = queue.take()
          expect(found).to.equal(next)
          if (found) taken.push(found)
        }
        for (let found = queue.take(); found; found = queue.take()) taken.push(found)
        expect(taken.map(({ number }) => number).sort((a, b) => a - b)).to.deep.equal(
          added.map(({ number }) => number),
        )
        for (const client of ['a', 'b', 'c']) {
          for (const isUrgent of [true, false]) {
            const own = taken.filter(each => each.client === client && each.isUrgent === isUrgent)
            expect(own).to.deep.equal([...own].sort((a, b) => a.number - b.number))
          }
        }
        expect(queue.size).to.equal(0)
      }),
    )
  })

  it('lets the clients take turns', () => {
    const queue = openFairQueue<Waiting>()
    for (let count = 0; count < 100; count++) queue.add({ client: 'many', isUrgent: true })
    for (let count = 0; count < 2; count++) queue.add({ client: 'few', isUrgent: true })

    const order = Array.from({ length: 5 }, () => queue.take()?.client)

    expect(order).to.deep.equal(['many', 'few', 'many', 'few', 'many'])
    expect(queue.sizeOf('many')).to.equal(97)
  })

  it('gives dry runs one turn in four while updates wait', () => {
    const queue = openFairQueue<Waiting>()
    for (let count = 0; count < 8; count++) {
      queue.add({ client: 'a', isUrgent: false })
      queue.add({ client: 'b', isUrgent: true })
    }
    const order = Array.from({ length: 8 }, () => queue.take()?.isUrgent)
    expect(order).to.deep.equal([true, true, true, false, true, true, true, false])
  })

  it('removes an entry only once', () => {
    const queue = openFairQueue<Waiting>()
    const leave = queue.add({ client: 'a', isUrgent: true })
    queue.add({ client: 'a', isUrgent: true })
    leave()
    leave()
    expect(queue.size).to.equal(1)
    expect(queue.take()?.client).to.equal('a')
    expect(queue.take()).to.equal(undefined)
  })
})

describe('long validations', () => {
  let validator: Validator
  beforeEach(() => {
    validator = openValidator({ workers: 2, timeLimit: 300 })
  })
  afterEach(() => validator.close())

  const attacker: Work = { client: 'attacker', isDryRun: true }
  const other: Work = { client: 'other', isDryRun: true }
  /** Engines with linear time do not support look-ahead. */
  const exploding = (name: number) => jsonSchemaBundle({ pattern: `^(?:(?=a)a+)+${name}$` })
  const text = utf8Bytes(JSON.stringify(`${'a'.repeat(60)}b`))
  const small = jsonSchemaBundle({ type: 'string' })

  it('do not delay other clients, regardless of their schemas', async () => {
    let ended = 0
    // On a busy machine, each of them has several times the limit.
    const attacks = Array.from({ length: isLongForm ? 8 : 4 }, (_, name) =>
      validator.validate(exploding(name), text, attacker).finally(() => ended++),
    )
    const settled = Promise.allSettled(attacks.slice(0, 3))
    for (let count = 0; count < 10; count++) {
      expect(await validator.validate(small, utf8Bytes('"a"'), other)).to.deep.equal([])
      expect(await validator.check(jsonSchemaBundle({ const: count }), other)).to.deep.equal([])
    }
    expect(ended).to.be.lessThan(attacks.length)

    await settled
    const controller = new AbortController()
    const gone = validator.validate(exploding(0), text, { ...attacker, signal: controller.signal })
    controller.abort()
    const error = await gone.catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(ProblemError).and.include({ kind: 'unavailable' })
    for (const found of await Promise.all(attacks)) expect(found[0]?.message).to.contain('longer than 300 ms')
  })

  it('do not delay other clients if each is answered before it is late', async () => {
    const single = openValidator({ workers: 1 })
    try {
      const letters = jsonSchemaBundle({ items: { required: ['a', 'b'], minProperties: 1 } })
      const document = utf8Bytes(`[${'{},'.repeat(300_000)}{}]`)
      expect(await single.validate(letters, document, attacker)).to.have.length.greaterThan(0)
      await single.validate(small, utf8Bytes('"a"'), other)
      let ended = 0
      // Enough that some still wait after the last task of the other client.
      const attacks = Array.from({ length: 12 }, () =>
        single.validate(letters, document, attacker).finally(() => ended++),
      )
      for (let count = 0; count < 30; count++) await single.validate(small, utf8Bytes('"a"'), other)
      expect(ended).to.be.lessThan(10)
      await Promise.all(attacks)
    } finally {
      await single.close()
    }
  })

  it('leave no state in the worker: later results are correct', async () => {
    const last = isLongForm ? 5 : 2
    for (let name = 0; name <= last; name++) {
      const slow = validator.validate(exploding(name), text, { client: `attacker ${name}` })
      const right = jsonSchemaBundle({
        $schema: 'http://json-schema.org/draft-04/schema#',
        pattern: '^a',
        minLength: name,
      })
      expect(await validator.check(right, other)).to.deep.equal([])
      expect(await validator.validate(right, utf8Bytes('"abcdefghi"'), other)).to.deep.equal([])
      expect(await validator.validate(right, utf8Bytes('"b"'), other)).to.have.length.greaterThan(0)
      if (name === last) expect((await slow)[0]?.message).to.contain('longer than')
      else slow.catch(() => undefined)
    }
  })
})
