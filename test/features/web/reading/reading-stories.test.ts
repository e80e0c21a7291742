import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { describeInBrowser, type OpenOptions, phone } from '../../../support/browser/open-browser.js'
import {
  logInAtIssuer,
  logInWithToken,
  type ServiceWithLogin,
  serviceWithLogin,
} from '../../../support/browser/service-with-login.js'
import { metadataRecordV1, noteXml, noteXsdText } from '../../../support/http/test-service.js'
import { userToken } from '../../../support/http/test-tokens.js'
import { removeRepositories, waitUntil } from '../../../support/repository/test-repository.js'

const described = JSON.stringify({
  name: 'Strength',
  title: 'On the strength of rods',
  author: [{ name: 'Ada Lovelace' }, { name: 'Charles Babbage' }],
  datePublished: '1843-08-01',
  license: 'https://creativecommons.org/licenses/by/4.0/',
  keywords: ['steel', 'strength'],
  description: 'Measured on a bench.',
})

describeInBrowser('a person who reads an own private record in the browser', browser => {
  let site: ServiceWithLogin
  before(async () => {
    site = await serviceWithLogin()
    await site.service.http
      .post('/api/v2/metadata')
      .field(
        'record',
        JSON.stringify({
          id: 'strength',
          titles: [{ value: 'Strength of rods' }],
          relatedIdentifiers: [
            {
              value: 'https://example.org/strength',
              identifierType: 'URL',
              relationType: 'IS_METADATA_FOR',
            },
            { value: 'rods', identifierType: 'INTERNAL', relationType: 'HAS_METADATA' },
          ],
        }),
      )
      .attach('document', Buffer.from(described), 'document')
      .expect(201)
  })
  after(async () => {
    await site.issuer.close()
    await removeRepositories()
  })

  async function open(address: string, options: OpenOptions = {}) {
    const watched = await browser.open(site.origin, { issuer: site.issuer.url, ...options })
    await watched.page.goto(`${site.origin}${address}`)
    return watched
  }

  it('is refused by the page of the server, logs in there, and reads the same version', async () => {
    const { page, check } = await open('/metadata-landing-page?id=rod&version=2', { expected: /^403 / })
    await page.getByRole('heading', { name: 'You may not see this' }).waitFor()
    await page.getByRole('main').getByRole('link', { name: 'Log in' }).click()
    await page.getByLabel('Keep me logged in').check()
    await logInAtIssuer(page, 'ada')

    await page.getByRole('heading', { level: 1, name: 'Steel rod, version 2' }).waitFor()
    await page.getByText('You see version 2 of this record.').waitFor()
    await check()

    // A person who is logged in already is led on at once.
    await page.goto(`${site.origin}/metadata-landing-page?id=rod`)
    await page.getByRole('main').getByRole('link', { name: 'Log in' }).click()
    await page.getByRole('heading', { level: 1, name: 'Steel rod', exact: true }).waitFor()
    await page
      .getByRole('link', { name: 'Log out' })
      .or(page.getByRole('button', { name: 'Log out' }))
      .waitFor()
    expect(new URL(page.url()).pathname).to.equal('/app/metadata/rod')
  })

  it('finds it, reads it with what its document says, and edits it', async () => {
    const { page, check } = await open('/app/login?from=/search?q=strength')
    await logInWithToken(page, await userToken('ada'))
    await page.getByRole('link', { name: 'Strength of rods' }).click()

    await page.getByRole('heading', { level: 1, name: 'Strength of rods' }).waitFor()
    await page.getByText('Ada Lovelace; Charles Babbage').waitFor()
    await page.locator('.schema-form').getByText('Keywords').first().waitFor()
    const side = page.getByRole('complementary', { name: 'About this record' })
    await side.getByText('ada', { exact: true }).first().waitFor()
    for (const fact of ['1843', 'steel, strength', 'Can still change:', '1, the newest', 'do everything'])
      await side.getByText(fact).first().waitFor()
    expect(await side.getByRole('link', { name: /creativecommons/ }).getAttribute('href')).to.equal(
      'https://creativecommons.org/licenses/by/4.0/',
    )
    await check()

    const download = page.waitForEvent('download')
    await side.getByRole('button', { name: 'Download' }).click()
    expect((await download).suggestedFilename()).to.equal('strength-v1.json')
    expect(await readFile(await (await download).path(), 'utf8')).to.equal(described)
    await side.getByText('BibTeX').click()
    const entry = page.getByRole('textbox', { name: 'BibTeX' })
    await waitUntil('the BibTeX entry', async () => /^@\w+\{/.test(await entry.inputValue()))
    await page.getByRole('button', { name: 'As text' }).click()
    await page.locator('.cm-content').getByText('Measured on a bench.').waitFor()
    await check()

    await page.getByRole('link', { name: 'Edit', exact: true }).click()
    await page.getByRole('button', { name: 'As text' }).click()
    const content = page.locator('.cm-content')
    await content.focus()
    await page.keyboard.press('Control+End')
    await page.keyboard.insertText('\n')
    await page.keyboard.press('Control+s')
    await page.getByText('Stored as version 2.').waitFor()
    await page.getByRole('link', { name: 'Record', exact: true }).click()
    await side.getByText('2, the newest').waitFor()
    await page.getByRole('link', { name: 'Versions', exact: true }).click()
    await page.getByRole('link', { name: 'Version 1', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Strength of rods, version 1' }).waitFor()
    await page.getByRole('link', { name: 'The newest version' }).click()
    await page.getByRole('heading', { level: 1, name: 'Strength of rods', exact: true }).waitFor()
    await check()
  })

  it('reads a schema and a document on a phone', async () => {
    const { page, check } = await open('/app/login?from=/schemas/rods', phone)
    await logInWithToken(page, await userToken('ada'))
    await page.getByRole('heading', { level: 1, name: 'rods' }).waitFor()
    await page.locator('.drawn').getByText('text, required').waitFor()
    await check()
    await page.getByRole('button', { name: 'As text' }).tap()
    await page.locator('.cm-content').getByText('"required"').waitFor()
    await check()
    await page.getByRole('link', { name: 'New document of this schema' }).tap()
    await page.getByRole('link', { name: 'rods', exact: true }).tap()
    await page.getByRole('heading', { level: 1, name: 'rods' }).waitFor()
  })

  it('sees a schema drawn as a tree, with nothing in it taken for markup, and its text one click away', async () => {
    const part = {
      title: '<b>Part</b>',
      description: '<img src=x onerror=alert(1)> of https://example.org/parts',
      type: 'object',
      properties: {
        left: { $ref: '#/$defs/side' },
        right: { $ref: '#/$defs/side' },
        size: { enum: ['small', 'large'] },
      },
      $defs: { side: { type: 'object', properties: { length: { type: 'number' } } } },
    }
    await site.service.postSchema({ schemaId: 'parts' }, JSON.stringify(part)).expect(201)
    const { page, check } = await open('/app/login?from=/schemas/parts')
    await logInWithToken(page, await userToken('ada'))

    const tree = page.locator('.drawn')
    await tree.getByText('One of: small, large').waitFor()
    expect(await tree.locator('img, b').count()).to.equal(0)
    await check()
    await tree.getByRole('link', { name: 'The same as' }).click()
    expect(new URL(page.url()).pathname).to.equal('/app/schemas/parts')
    expect(await page.locator(':target').innerText()).to.contain('Length')
    await page.getByRole('button', { name: 'As text' }).click()
    await page.locator('.cm-content').getByText('<b>Part</b>').waitFor()
    await page.getByRole('button', { name: 'As tree' }).click()
    await tree.getByText('One of: small, large').waitFor()
    await check()
  })

  it('sees a document of XML drawn by its schema, and its text one click away, which it copies', async () => {
    await site.service.postSchema({ schemaId: 'notes', type: 'XML' }, noteXsdText).expect(201)
    const record = metadataRecordV1('https://example.org/note', 'notes', { id: 'note' })
    await site.service.postMetadata(record, noteXml.replace('hello', 'First &lt;b&gt; note')).expect(201)
    const { page, check } = await open('/app/login?from=/metadata/note')
    await logInWithToken(page, await userToken('ada'))

    const drawing = page.locator('.drawn')
    await drawing.getByText('First <b> note').waitFor()
    expect(await drawing.locator('dt').allInnerTexts()).to.include('Text')
    await check()
    await page.getByRole('button', { name: 'As text' }).click()
    await page.locator('.cm-content').getByText('<note xmlns="http://example.org/note">').waitFor()
    await check()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy', exact: true }).click()
    await page.getByRole('status').filter({ hasText: 'Copied.' }).waitFor()
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).to.equal(
      noteXml.replace('hello', 'First &lt;b&gt; note'),
    )
    await page.context().clearPermissions()
    await page.getByRole('button', { name: 'As fields' }).click()
    await drawing.getByText('First <b> note').waitFor()
    expect(await page.locator('.cm-content').count()).to.equal(0)
  })

  it('opens what it has just stored', async () => {
    const { page, check } = await open('/app/login?from=/new?schema=rods')
    await logInWithToken(page, await userToken('ada'))
    await page.getByLabel('Title').fill('A new rod')
    await page.getByLabel('What the document describes').fill('https://example.org/new')
    await page.locator('.schema-form').getByLabel('name').fill('N')
    await page.getByRole('button', { name: 'Store', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'A new rod' }).waitFor()
    await page.getByRole('complementary', { name: 'About this record' }).getByText('1, the newest').waitFor()
    await check()
  })
})
