import { expect } from 'chai'
import { describeInBrowser, phone } from '../../support/browser/open-browser.js'
import { metadataRecordV1, startService } from '../../support/http/test-service.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

const schema = JSON.stringify({
  type: 'object',
  properties: { title: { type: 'string', title: 'Name of the sample' }, mass: { type: 'number' } },
})

const document = JSON.stringify({
  title: 'Strength of rods',
  author: [{ name: 'Ada Lovelace' }, { name: 'Charles Babbage' }],
  datePublished: '1843-08-01',
  license: 'https://creativecommons.org/licenses/by/4.0/',
  keywords: ['steel', 'strength'],
  description: 'Measured on a bench.',
  mass: 5,
})

/** What a person looks for beside the document, by the heading under which it stands. */
const beside: Readonly<Record<string, readonly string[]>> = {
  About: ['https://example.org/rods', 'Rods, version 1', 'CC-BY-4.0', 'steel', 'strength'],
  People: ['Ada Lovelace', 'Charles Babbage'],
  Dates: ['1843', '1 version'],
  Cite: ['Ada Lovelace, & Charles Babbage', 'In other styles'],
  Export: ['formats of other programs'],
  Files: ['Download, JSON'],
}

describeInBrowser('the landing page of a document, without a script', browser => {
  let address: string
  let origin: string
  before(async () => {
    const service = await startService()
    await service.postSchema({ schemaId: 'rods', label: 'Rods' }, schema).expect(201)
    const record = metadataRecordV1('https://example.org/rods', 'rods', { id: 'rod' })
    await service.postMetadata(record, document).expect(201)
    origin = `http://127.0.0.1:${service.port}`
    address = `${origin}/metadata-landing-page?id=rod`
  })
  after(removeRepositories)

  for (const [screen, options] of [
    ['on a desk', {}],
    ['on a phone', phone],
  ] as const)
    it(`has people, dates, keywords, licence, versions, citation and export beside the document, ${screen}`, async () => {
      const { page } = await browser.open(origin, { ...options, javaScriptEnabled: false })
      await page.goto(address)

      const side = page.locator('aside.side')
      for (const [heading, texts] of Object.entries(beside)) {
        const section = side.locator('section').filter({ has: page.getByRole('heading', { name: heading }) })
        const text = await section.innerText()
        for (const each of texts) expect(text, heading).to.contain(each)
      }
      // The document is drawn by its schema, below its title, people and description.
      const drawn = page.locator('.drawn')
      expect(await drawn.innerText()).to.contain('Name of the sample')
      expect(await page.locator('main').innerText()).to.match(
        /Strength of rods[\s\S]*Ada Lovelace[\s\S]*Measured on a bench\.[\s\S]*Name of the sample/,
      )
      const [document, column] = [await drawn.boundingBox(), await side.boundingBox()]
      if (!document || !column) throw new Error('The document or the column beside it is not shown.')
      if (screen === 'on a desk') {
        expect(column.x).to.be.above(document.x + document.width)
        expect(column.y).to.be.below(document.y)
        expect(document.width).to.be.above(column.width)
      } else expect(column.y).to.be.above(document.y + document.height)
    })
})
