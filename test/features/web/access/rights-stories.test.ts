import { execFileSync } from 'node:child_process'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { describeInBrowser, type OpenOptions } from '../../../support/browser/open-browser.js'
import {
  logInWithToken,
  type ServiceWithLogin,
  serviceWithLogin,
} from '../../../support/browser/service-with-login.js'
import { searchHasAll } from '../../../support/http/search-examples.js'
import { metadataRecordV1 } from '../../../support/http/test-service.js'
import { userToken } from '../../../support/http/test-tokens.js'
import { removeRepositories, waitUntil } from '../../../support/repository/test-repository.js'

describeInBrowser('a person who gives rights in the browser', browser => {
  let site: ServiceWithLogin
  beforeEach(async () => {
    site = await serviceWithLogin()
  })
  afterEach(async () => {
    await site.issuer.close()
    await removeRepositories()
  })

  async function openAs(token: string, address: string, options: OpenOptions = {}) {
    const watched = await browser.open(site.origin, { issuer: site.issuer.url, ...options })
    await watched.page.goto(`${site.origin}/app/login?from=${encodeURIComponent(address)}`)
    await logInWithToken(watched.page, token)
    return watched
  }
  it('narrows the search to what it has stored itself, which the address keeps, when it is logged in', async () => {
    const open = [{ sid: 'anonymousUser', permission: 'READ' }]
    await site.service.postSchema({ schemaId: 'shared', acl: open }, '{"type":"object"}').expect(201)
    await site.service
      .postMetadata(
        metadataRecordV1('https://example.org/carols', 'shared', { id: 'carols', acl: open }),
        '{}',
      )
      .set('Authorization', `Bearer ${await userToken('carol')}`)
      .expect(201)
    await searchHasAll(site.service)
    const { page, check } = await openAs(await userToken('carol'), '/search')
    await page.getByText('2 records', { exact: true }).waitFor()

    await page.getByRole('checkbox', { name: 'Stored by me' }).check()

    await page.getByText('1 record', { exact: true }).waitFor()
    expect(new URL(page.url()).search).to.equal('?mine=true')
    expect(await page.locator('tbody td:nth-child(2)').allInnerTexts()).to.deep.equal(['carols'])
    await check()
    const other = await browser.open(site.origin, { issuer: site.issuer.url })
    await other.page.goto(`${site.origin}/app/search?mine=true`)
    await other.page.getByText('0 records', { exact: true }).waitFor()
    await other.page.getByText('Log in to see your records.').waitFor()
    await other.page.getByRole('checkbox', { name: 'Stored by me' }).click()
    await other.page.getByText('2 records', { exact: true }).waitFor()
    expect(await other.page.getByText('Stored by me').count()).to.equal(0)
    await other.check()
  })

  const rights = '/metadata/rod/access'
  const aclsOf = async (id: string): Promise<readonly string[]> => {
    const { body } = await site.service.http.get(`/api/v1/metadata/${id}`).set('Accept', recordV1).expect(200)
    return body.acl.map(({ sid, permission }: Record<string, string>) => `${sid} ${permission}`)
  }
  const readers = (groups: readonly string[]) => userToken('bob', ['USER'], { groups: [...groups] })

  it('24. 403: gives a group READ, and cannot take its own right: the group reads, others find and open nothing', async () => {
    const { page, check } = await openAs(await userToken('ada'), rights)
    await page.getByRole('heading', { name: 'Rights and state of Steel rod' }).waitFor()
    const own = page.getByRole('row').filter({ hasText: 'ada' })
    await own.getByText('You cannot take this right from yourself.').waitFor()
    expect(await own.getByRole('combobox').or(own.getByRole('button')).count()).to.equal(0)
    await check()

    await addEntry(page, 'readers')
    await page.getByRole('button', { name: 'Store the rights' }).click()

    await page.getByText('Stored.', { exact: true }).waitFor()
    await check()
    expect(await aclsOf('rod')).to.deep.equal(['ada ADMINISTRATE', 'readers READ'])

    const refused = { expected: /^403 / }
    const bob = await openAs(await readers(['readers']), rights)
    await bob.page.getByText('You can read who may do what.').waitFor()
    await bob.page.getByText('your group').waitFor()
    expect(await bob.page.locator('main').getByRole('combobox').count()).to.equal(0)
    expect(await bob.page.getByRole('button', { name: /^(?:Store|Fix|Withdraw)/ }).count()).to.equal(0)
    await bob.check()
    await bob.page.getByRole('link', { name: 'Edit' }).click()
    await bob.page.getByText('You may read this, and not change it.').waitFor()
    // The fields need the schema, which has other readers than the document.
    const schema = bob.page.locator('.notice').filter({ hasText: 'You may not read “rods”.' })
    await schema.getByText('Who may do this is told only to people who may read the record').waitFor()
    await bob.page.getByText('These may change it: ada.').waitFor()
    expect(await bob.page.getByLabel('Title').isEditable()).to.equal(false)

    const carol = await openAs(await userToken('carol'), rights, refused)
    await carol.page.getByRole('alert').filter({ hasText: 'You may not read “rod”.' }).waitFor()
    expect(await carol.page.getByRole('navigation', { name: 'This record' }).count()).to.equal(0)
    await carol.page.getByText('Who may do this is told only to people who may read the record').waitFor()
    expect(await carol.page.locator('main').innerText()).to.not.contain('Steel')
    await carol.check()
    await searchHasAll(site.service, { Authorization: `Bearer ${await userToken('ada')}` })
    for (const [{ page: found }, count] of [
      [bob, 1],
      [carol, 0],
    ] as const) {
      const search = `/search?q=${encodeURIComponent('"Rod B"')}`
      const token = found === bob.page ? await readers(['readers']) : await userToken('carol')
      await found.goto(`${site.origin}/app/login?from=${encodeURIComponent(search)}`)
      await logInWithToken(found, token)
      await found
        .getByText(count === 1 ? '1 record' : 'Nothing')
        .first()
        .waitFor()
      expect(await found.getByRole('link', { name: 'Steel rod' }).count()).to.equal(count)
    }
  }).timeout(120_000)

  it('changes the access list alone, also of a record without a title', async () => {
    await site.service
      .postMetadata(metadataRecordV1('https://example.org/plain', 'rods', { id: 'plain' }), '{ "name": "P" }')
      .expect(201)
    const { page } = await openAs(await userToken('ada'), '/metadata/plain/access')
    await page.getByLabel('Everybody, also without logging in').check()
    await page.getByRole('button', { name: 'Add to the list' }).click()
    await page.getByRole('button', { name: 'Store the rights' }).click()
    await page.getByText('Stored.', { exact: true }).waitFor()

    expect(changesOf(site)).to.deep.equal([
      '+    },',
      '+    {',
      '+      "sid": "anonymousUser",',
      '+      "permission": "READ"',
    ])
  })

  it('sees what came of the last action only', async () => {
    const { page, check } = await openAs(await userToken('ada'), rights)
    const messages = async () => {
      const texts = await page.locator('main').locator('[role=status], [role=alert]').allInnerTexts()
      return texts.filter(text => text !== '').length
    }
    // A busy machine may say for a moment that the page is not connected.
    const waitForOneMessage = () => waitUntil('one message', async () => (await messages()) === 1)
    const store = page.getByRole('button', { name: 'Store the rights' })
    await addEntry(page, 'readers')
    await store.click()
    await page.getByText('Stored.', { exact: true }).waitFor()

    await store.click()
    await page.getByText('there is nothing to store').waitFor()
    await waitForOneMessage()
    await page.getByRole('button', { name: 'Withdraw it' }).click()
    await page.getByText('The record is withdrawn.').waitFor()
    await waitForOneMessage()
    await page.getByRole('button', { name: 'Delete for good' }).click()
    await page.getByText('Nothing was deleted.').waitFor()

    await waitForOneMessage()
    await check()
  })

  it('puts its changes into what somebody else has stored meanwhile', async () => {
    const { page, check } = await openAs(await userToken('ada'), rights, { expected: /^412 / })
    await addEntry(page, 'readers')
    const acl = [
      { sid: 'ada', permission: 'ADMINISTRATE' },
      { sid: 'dora', permission: 'WRITE' },
    ]
    await site.service.putMetadata('rod', '*', { acl }).expect(200)

    await page.getByRole('button', { name: 'Store the rights' }).click()

    await page.getByText('Somebody has stored another state of this record meanwhile.').waitFor()
    await page.getByRole('row').filter({ hasText: 'dora' }).waitFor()
    await check()
    await page.getByRole('button', { name: 'Store the rights' }).click()
    await page.getByText('Stored.', { exact: true }).waitFor()
    expect(await aclsOf('rod')).to.deep.equal(['ada ADMINISTRATE', 'dora WRITE', 'readers READ'])
  })

  it('changes and removes entries, and shows names with markup as text', async () => {
    const markup = '<img src=x onerror=alert(1)>'
    const { page, check } = await openAs(await userToken('ada'), rights)
    await addEntry(page, markup)
    await addEntry(page, 'x'.repeat(200))
    await page.getByLabel(`What ${markup} may do`).selectOption('WRITE')
    await page.getByRole('button', { name: 'Store the rights' }).click()
    await page.getByText('Stored.', { exact: true }).waitFor()
    expect(await page.locator('main img').count()).to.equal(0)
    await check()

    await page.getByRole('button', { name: `Remove ${'x'.repeat(200)}` }).click()
    await page.getByRole('button', { name: 'Store the rights' }).click()

    await page.getByText('Stored.', { exact: true }).waitFor()
    expect(await aclsOf('rod')).to.deep.equal(['ada ADMINISTRATE', `${markup} WRITE`])
  })

  it('who administers by a group only changes the state, and is told why the list is locked', async () => {
    const acl = [
      { sid: 'ada', permission: 'ADMINISTRATE' },
      { sid: 'readers', permission: 'ADMINISTRATE' },
    ]
    await site.service.putMetadata('rod', '*', { acl }).expect(200)
    const { page, check } = await openAs(await readers(['readers']), rights)

    await page.getByText('your own name has to stand in it').waitFor()

    expect(await page.getByRole('button', { name: 'Store the rights' }).count()).to.equal(0)
    await page.getByRole('button', { name: 'Fix it' }).click()
    await page.getByText('Fixed: only people who may do everything').waitFor()
    await check()
  })

  it('fixes, opens, withdraws, brings back and deletes a record; to delete it, the id has to be typed', async () => {
    const { page, check } = await openAs(await userToken('ada'), rights)
    const stateOf = async () =>
      (await site.service.http.get('/api/v2/metadata/rod').set('Accept', recordV2)).body.state
    for (const [button, said, state] of [
      ['Fix it', 'Fixed:', 'FIXED'],
      ['Let it change again', 'Can still change:', 'VOLATILE'],
      ['Withdraw it', 'Withdrawn:', 'REVOKED'],
      ['Bring it back', 'Can still change:', 'VOLATILE'],
      ['Withdraw it', 'Withdrawn:', 'REVOKED'],
    ] as const) {
      await page.getByRole('button', { name: button }).click()
      await page.getByText(said).waitFor()
      expect(await stateOf()).to.equal(state)
    }
    await check()

    await page.getByLabel('To delete it, type its id').fill('ROD')
    await page.getByRole('button', { name: 'Delete for good' }).click()
    await page.getByText('This is neither the id nor the title of the record. Nothing was deleted.').waitFor()
    expect(await stateOf()).to.equal('REVOKED')
    await page.getByLabel('To delete it, type its id').fill('Steel rod')
    await page.getByRole('button', { name: 'Delete for good' }).click()

    await page.getByRole('heading', { name: 'rod is deleted' }).waitFor()
    await site.service.http.get('/api/v2/metadata/rod').expect(404)
    await check()
  })

  it('503: what is asked for again is not done to a state that came meanwhile: nothing is deleted for good', async () => {
    const { page } = await openAs(await userToken('ada'), rights, { expected: /^(?:503|412) / })
    let deletions = 0
    await page.route('**/api/v2/metadata/rod', async route => {
      if (route.request().method() !== 'DELETE' || deletions++ > 0) return await route.continue()
      await route.fetch()
      await route.fulfill({ status: 503, headers: { 'Retry-After': '600' }, body: '' })
    })
    await page.getByRole('button', { name: 'Withdraw it' }).click()
    await page.getByRole('timer').waitFor()
    // Reads the record again.
    await page.context().setOffline(true)
    await page.context().setOffline(false)
    await page.getByText('Withdrawn:').waitFor()

    await page.getByRole('button', { name: 'Try again now' }).click()

    await page.getByText('Somebody has stored another state of this record meanwhile.').waitFor()
    expect(deletions).to.equal(2)
    const { body } = await site.service.http.get('/api/v2/metadata/rod').set('Accept', recordV2).expect(200)
    expect(body.state).to.equal('REVOKED')
  })

  it('is told why a schema that documents follow stays', async () => {
    const { page, check } = await openAs(await userToken('ada'), '/schemas/rods/access', {
      expected: /^409 /,
    })

    await page.getByRole('button', { name: 'Withdraw it' }).click()

    await page.getByRole('alert').filter({ hasText: 'follow' }).waitFor()
    await check()
  })

  it('reaches the rights from the page of a record, on a server that asks nobody to log in, too', async () => {
    await site.service.putMetadata('rod', '*', {
      acl: [
        { sid: 'ada', permission: 'ADMINISTRATE' },
        { sid: 'anonymousUser', permission: 'READ' },
      ],
    })
    const { page, check } = await browser.open(site.origin)
    await page.goto(`${site.origin}/metadata-landing-page?id=rod`)
    await page.getByRole('link', { name: 'Rights and state' }).click()

    await page.getByRole('heading', { name: 'Rights and state of Steel rod' }).waitFor()
    await page.getByRole('cell', { name: 'Everybody, also without logging in' }).waitFor()
    await page.getByRole('main').getByRole('button', { name: 'Log in' }).waitFor()
    await check()
  })
})

const recordV1 =
  'application/vnd.datamanager.metadata-record+json, application/vnd.repository.metadata-record+json'
const recordV2 = 'application/vnd.datacite.org+json'

async function addEntry(page: Page, name: string): Promise<void> {
  await page.getByLabel('Name of the person or group').fill(name)
  await page.getByRole('button', { name: 'Add to the list' }).click()
  await page.getByRole('row').filter({ hasText: name }).waitFor()
}

/** The lines that the newest commit has changed. */
function changesOf({ service }: ServiceWithLogin): readonly string[] {
  const text = execFileSync('git', ['-C', service.repository.dir, 'show', '--format=', '-U0', 'HEAD'], {
    encoding: 'utf8',
  })
  return text.split('\n').filter(line => /^[+-](?![+-])/.test(line))
}
