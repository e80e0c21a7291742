// test-schedule: quick
import { expect } from 'chai'
import { HarvestErrors, readOaiArguments } from '../../../src/http/routes/oai-pmh/oai-arguments.js'

describe('Arguments of a harvester', () => {
  it('of many names are refused in time that grows with their number alone', () => {
    // Each look-up by name reads all parameters: that took a second for these.
    const names = Array.from({ length: 15_000 }, (_, at) => `${at.toString(36)}=`)
    const parameters = new URLSearchParams(`verb=Identify&${names.join('&')}`)
    const started = performance.now()
    expect(() => readOaiArguments(parameters))
      .to.throw(HarvestErrors)
      .that.has.property('errors')
      .that.has.length(10)
    expect(performance.now() - started).to.be.lessThan(300)
  })

  it('are read whatever their order', () => {
    const { verb, given } = readOaiArguments(
      new URLSearchParams('metadataPrefix=oai_dc&set=type:xml&verb=ListRecords'),
    )
    expect(verb).to.equal('ListRecords')
    expect(Object.fromEntries(given)).to.deep.equal({ metadataPrefix: 'oai_dc', set: 'type:xml' })
  })
})
