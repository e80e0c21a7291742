// test-schedule: quick
import { expect } from 'chai'
import { HarvestErrors, readOaiArguments } from '../../../../src/http/routes/oai-pmh/oai-arguments.js'

describe('The arguments of a harvester', () => {
  it('are refused in time linear in their number, if they have many names', () => {
    // A search of all parameters for each name took a second for this number of names.
    const names = Array.from({ length: 15_000 }, (_, index) => `${index.toString(36)}=`)
    const parameters = new URLSearchParams(`verb=Identify&${names.join('&')}`)
    const started = performance.now()
    expect(() => readOaiArguments(parameters))
      .to.throw(HarvestErrors)
      .that.has.property('errors')
      .that.has.length(10)
    expect(performance.now() - started).to.be.lessThan(300)
  })

  it('are read in any order', () => {
    const { verb, given } = readOaiArguments(
      new URLSearchParams('metadataPrefix=oai_dc&set=type:xml&verb=ListRecords'),
    )
    expect(verb).to.equal('ListRecords')
    expect(Object.fromEntries(given)).to.deep.equal({ metadataPrefix: 'oai_dc', set: 'type:xml' })
  })
})
