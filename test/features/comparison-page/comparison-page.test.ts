import { expect } from 'chai'
import { type ServiceWithHistory, serviceWithHistory } from '../../support/browser/example-history.js'
import { describeInBrowser } from '../../support/browser/open-browser.js'
import { readHtml } from '../../support/http/strict-html.js'
import { metadataRecordV1, noteXml, noteXsdText } from '../../support/http/test-service.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

describe('the page that compares two versions', () => {
  let history: ServiceWithHistory
  before(async () => {
    history = await serviceWithHistory()
  })
  after(removeRepositories)

  async function open(path: string, status = 200) {
    const answer = await history.service.http.get(path).set('Accept', 'text/html').expect(status)
    const { elements, text } = readHtml(answer.text)
    const named = (name: string) => elements.filter(element => element.name === name)
    expect(named('script')).to.deep.equal([])
    expect(named('h1')).to.have.length(1)
    return {
      answer,
      words: text.replace(/\s+/g, ' '),
      targets: named('a').map(({ attributes }) => attributes.href ?? ''),
      named,
    }
  }

  it('lists the changes of values by their names in words, with all digits, and marks lines by signs', async () => {
    const { words, answer, named } = await open('/compare/metadata/rod?from=2&to=4')
    expect(words).to.contain('Changes from version 2 to version 4')
    expect(words).to.contain('~ changed Name Rod A Rod B')
    expect(words).to.contain('~ changed Mass › Value 2.5 4.5')
    expect(words).to.contain('+ added Notes › 2 second')
    // Neither the number of the version nor its time is a change.
    expect(words).to.contain('Record No changes.')
    expect(named('td').map(({ attributes }) => attributes.title)).to.contain('/mass/value')
    expect(answer.text).to.contain('<del>−   &quot;name&quot;: &quot;Rod A&quot;,</del>')
    expect(answer.text).to.contain('<ins>+   &quot;name&quot;: &quot;Rod B&quot;,</ins>')
    expect(answer.text).to.contain('<span>    &quot;serial&quot;: 12345678901234567890,</span>')
  })

  it('compares backwards, and a version with itself', async () => {
    expect((await open('/compare/metadata/rod?from=4&to=2')).words).to.contain('− removed Notes › 2 second')
    const same = await open('/compare/metadata/rod?from=2&to=2')
    expect(same.words).to.contain('No changes.').and.to.contain('The files of both versions are the same.')
  })

  it('says for a schema what each change does to documents', async () => {
    const { words } = await open('/compare/schemas/rods?from=2&to=3')
    expect(words).to.contain('All changes together: breaking: valid documents may become invalid.')
    expect(words).to.contain('+ added Required')
  })

  it('names places of JSON-LD, whose members begin with @', async () => {
    const { service } = history
    await service.postSchema({ schemaId: 'graphs' }, '{"type":"object"}').expect(201)
    const graph = (name: string) => JSON.stringify({ '@graph': [{ name: 'x' }, { name }] })
    const record = metadataRecordV1('https://example.org/graph', 'graphs', { id: 'graph' })
    await service.postMetadata(record, graph('a')).expect(201)
    await service.putMetadata('graph', '*', undefined, graph('b')).expect(200)
    expect((await open('/compare/metadata/graph?from=1&to=2')).words).to.contain(
      '~ changed @graph › 2 › Name a b',
    )
  })

  it('shows texts of documents as text, of XML as of JSON', async () => {
    const { service } = history
    await service.postSchema({ schemaId: 'note', label: 'Notes' }, noteXsdText).expect(201)
    const record = metadataRecordV1('https://example.org/note', 'note', { id: 'hostile' })
    await service.postMetadata(record, noteXml).expect(201)
    const text = noteXml.replace(/>[^<]+</, '>&lt;script&gt;\n@@ -1 +1 @@\ndiff --git a/x b/x<')
    await service.putMetadata('hostile', '*', undefined, text).expect(200)

    const { words, answer, named } = await open('/compare/metadata/hostile?from=1&to=2')
    expect(words).to.contain('~ changed')
    expect(answer.text).to.contain('<ins>+ diff --git a/x b/x').and.to.contain('&amp;lt;script')
    expect(named('h3')).to.have.length(1)
  })

  it('leads to the versions, and keeps the point of history', async () => {
    const { targets } = await open('/compare/metadata/rod?from=2&to=4')
    expect(targets.some(target => target.endsWith('/metadata-landing-page?id=rod&version=2'))).to.equal(true)
    const then = await open('/compare/metadata/rod?from=2&to=4&at=main')
    expect(then.words).to.contain('at the point main of the history')
    expect(then.targets.some(target => target.endsWith('/compare/metadata/rod?from=2&to=4'))).to.equal(true)
    expect(then.named('input').map(({ attributes }) => attributes.name)).to.contain('at')
  })

  it('says as a page that there is no such version, and which parameter is missing', async () => {
    expect((await open('/compare/metadata/rod?from=2&to=99', 404)).words).to.contain('99')
    expect((await open('/compare/metadata/rod?from=2', 400)).words).to.contain('The parameter to is missing')
  })

  it('shows the beginning of long changes, and how many are left', async () => {
    const { service } = history
    const record = metadataRecordV1('https://example.org/long', 'rods', { id: 'long' })
    const numbers = (from: number) =>
      JSON.stringify(
        { name: 'x'.repeat(from + 2000), all: Array.from({ length: 3000 }, (_, at) => at * from) },
        null,
        1,
      )
    await service.postMetadata(record, numbers(1)).expect(201)
    await service.putMetadata('long', '*', undefined, numbers(2)).expect(200)
    const { words, answer } = await open('/compare/metadata/long?from=1&to=2')
    expect(words)
      .to.match(/and [\d,]+ more lines/)
      .and.to.match(/and [\d,]+ more /)
    expect(answer.text.length).to.be.below(400_000)
  })

  it('shows the part of a long value, and of a long line, that has changed', async () => {
    const { service } = history
    const record = metadataRecordV1('https://example.org/far', 'rods', { id: 'far' })
    const states = ['former words', 'later words'].map(words => ({
      name: `${'x'.repeat(3000)} ${words} ${'y'.repeat(3000)}`,
      notes: ['a note'],
    }))
    await service.postMetadata(record, JSON.stringify(states[0])).expect(201)
    await service.putMetadata('far', '*', undefined, JSON.stringify(states[1])).expect(200)
    const { answer } = await open('/compare/metadata/far?from=1&to=2')
    expect(answer.text).to.match(/data-label="Before"><span dir="auto">…x+ former words y+…</)
    expect(answer.text).to.match(/data-label="After"><span dir="auto">…x+ later words y+…</)
    expect(answer.text).to.match(/<del>− …x+ former words y+…</)
    expect(answer.text).to.match(/<ins>\+ …x+ later words y+…</)
  })
})

describeInBrowser('the page that compares two versions, in a browser', browser => {
  after(removeRepositories)

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`is reached from the list of versions, has no findings of accessibility, and leads on, in ${colorScheme} colours`, async () => {
      const { origin } = await serviceWithHistory()
      const { page, check } = await browser.open(origin, {
        colorScheme,
        viewport: { width: 360, height: 740 },
      })
      await page.goto(`${origin}/metadata-landing-page?id=rod`)
      await page.getByRole('link', { name: 'Changes since version 3' }).click()
      await page.getByRole('heading', { name: 'Changes from version 3 to version 4' }).waitFor()
      await check()
      await page.getByLabel('From version').fill('1')
      await page.getByRole('button', { name: 'Compare' }).click()
      await page.getByRole('heading', { name: 'Changes from version 1 to version 4' }).waitFor()
      await page.getByRole('link', { name: 'Side by side' }).click()
      await page.locator('.cm-content').first().waitFor()
    })
  }
})
