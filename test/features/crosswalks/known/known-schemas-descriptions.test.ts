// test-schedule: quick
import { expect } from 'chai'
import { dataCiteDocument } from '../../../../src/features/exports/datacite/record-to-datacite.js'
import { orderAndPlacesSamples } from '../../../support/data/crosswalks/further-forms-samples.js'
import { describeSample, type KnownSample, valuesOf } from '../../../support/data/crosswalks/known-sample.js'
import { librariesSamples } from '../../../support/data/crosswalks/libraries-samples.js'
import { publishedDocuments } from '../../../support/data/crosswalks/published/published-documents.js'
import { sciencesSamples } from '../../../support/data/crosswalks/sciences-samples.js'
import { variantsSamples } from '../../../support/data/crosswalks/variants-samples.js'
import { webSamples } from '../../../support/data/crosswalks/web-samples.js'
import { revisionOf, sampleContext } from '../../../support/exports/sample-records.js'

/** A test for each sample: its complete description. */
function describeAll(samples: readonly KnownSample[]): void {
  for (const { title, document, described } of samples)
    it(title, () => {
      expect(valuesOf(describeSample(document))).to.deep.equal(described)
    })
}

describe('A document of a known schema describes itself: schemas of the web', () => {
  describeAll(webSamples)

  it('says where in a graph each value is', () => {
    const crate = webSamples.find(({ schema }) => schema === 'RO-Crate')?.document
    const { titles, publisher, creators } = describeSample(crate)
    expect(titles?.[0]?.path).to.equal('@graph[3].name')
    expect(publisher?.[0]?.path).to.equal('@graph[3].publisher')
    expect(creators?.[0]?.path).to.equal('@graph[3].author[0]')
  })
})

describe('A document of a known schema describes itself: schemas of the sciences', () => {
  describeAll(sciencesSamples)
})

describe('A document of a known schema describes itself: schemas of libraries, archives and museums', () => {
  describeAll(librariesSamples)
})

describe('A document of a known schema describes itself: forms that institutions publish', () => {
  describeAll(variantsSamples)

  it('was published in the year of its earliest publication', () => {
    const years = orderAndPlacesSamples
      .filter(({ schema }) => schema === 'JATS')
      .map(({ document }) => {
        const context = { ...sampleContext, description: describeSample(document) }
        return dataCiteDocument(revisionOf({}), context).publicationYear
      })
    expect(years).to.deep.equal(['2019', '2017', '2021', '1998', '2016'])
  })
})

describe('A document of a known schema describes itself: documents that others have published', () => {
  describeAll(publishedDocuments)
})
