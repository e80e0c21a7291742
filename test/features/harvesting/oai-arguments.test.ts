// test-schedule: quick
import { expect } from 'chai'
import { HarvestErrors, readOaiArguments } from '../../../src/features/harvesting/answers/oai-arguments.js'

/** Parameters of a request with that many unknown names. */
function manyNames(count: number): URLSearchParams {
  const names = Array.from({ length: count }, (_, index) => `${index.toString(36)}=`)
  return new URLSearchParams(`verb=Identify&${names.join('&')}`)
}

/** Counts calls of methods of the parameters. A call reads all parameters, also if it looks for one name. */
function callsToRead(parameters: URLSearchParams): number {
  let calls = 0
  const counted = new Proxy(parameters, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target)
      if (typeof member !== 'function') return member
      return (...args: readonly unknown[]) => {
        calls += 1
        return member.apply(target, args)
      }
    },
  })
  expect(() => readOaiArguments(counted)).to.throw(HarvestErrors)
  return calls
}

describe('The arguments of a harvester', () => {
  // A search of all parameters for each name took a second for this number of names.
  it('are read in as many passes for 15,000 names as for 15', () => {
    expect(callsToRead(manyNames(15_000)))
      .to.equal(callsToRead(manyNames(15)))
      .and.to.be.above(0)
  })

  it('have at most ten errors', () => {
    expect(() => readOaiArguments(manyNames(15_000)))
      .to.throw(HarvestErrors)
      .that.has.property('errors')
      .that.has.length(10)
  })

  it('are read in any order', () => {
    const { verb, given } = readOaiArguments(
      new URLSearchParams('metadataPrefix=oai_dc&set=type:xml&verb=ListRecords'),
    )
    expect(verb).to.equal('ListRecords')
    expect(Object.fromEntries(given)).to.deep.equal({ metadataPrefix: 'oai_dc', set: 'type:xml' })
  })
})
