import { expect } from 'chai'
import { searchHasAll, startSearchExamples, storeDocument } from '../../../../support/http/search-examples.js'
import { readHtml } from '../../../../support/http/strict-html.js'
import type { TestService } from '../../../../support/http/test-service.js'
import { removeRepositories } from '../../../../support/repository/test-repository.js'
import { describeEngines } from '../../../../support/search/search-engines.js'

describeEngines('the page of a search whose hits are hard to show', engine => {
  let service: TestService
  before(async () => {
    service = await startSearchExamples(engine.options)
  })
  after(removeRepositories)

  async function open(path: string) {
    const { text: html } = await service.http.get(path).set('Accept', 'text/html').expect(200)
    return { html, text: readHtml(html).text.replace(/\s+/g, ' ') }
  }

  it('shows a passage of a value without a field of its own', async () => {
    const record = {
      id: 'contributed',
      relatedIdentifiers: [
        { value: 'https://example.org/contributed', identifierType: 'URL', relationType: 'IS_METADATA_FOR' },
        { value: 'measurement', identifierType: 'INTERNAL', relationType: 'HAS_METADATA' },
      ],
      titles: [{ value: 'Contributed' }],
      contributors: [{ user: { familyName: 'Quendleberg' }, contributionType: 'EDITOR' }],
    }
    await service.http
      .post('/api/v2/metadata')
      .attach('record', Buffer.from(JSON.stringify(record)), 'record.json')
      .attach('document', Buffer.from('{}'), 'document.json')
      .expect(201)
    await searchHasAll(service)

    const { html } = await open('/search?q=quendleberg')

    expect(html).to.match(/ecord:<\/span> <span dir="auto"><mark>Quendleberg<\/mark>/)
  })

  it('says of which records it shows no passage, and how many they are', async () => {
    const filler = 'filling '.repeat(110_000)
    for (let number = 0; number < 12; number++)
      await storeDocument(service, `long-${number}`, { filler, last: 'farawayword' })
    await searchHasAll(service)

    const { body } = await service.http.get('/api/v1/search?q=farawayword').expect(200)
    const { text } = await open('/search?q=farawayword')

    const without = body.items.filter((item: object) => !('highlight' in item)).length
    expect(body.total).to.equal(12)
    const notes = body.notes.join()
    if (without === 0) expect(notes).to.equal('')
    else
      expect(notes).to.match(new RegExp(`^${without} records? of this page (is|are) shown without the text `))
    // On the page, each hit without a passage says it.
    const told = text.split('further in than this page looks').length - 1
    expect(told).to.be.at.most(12)
    expect(text.split('farawayword').length).to.be.above(12 - told)
  })
})
