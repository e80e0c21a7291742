// test-schedule: quick
import { expect } from 'chai'
import type { StoredRecord } from '../../../src/core/records/record.js'
import type { Revision } from '../../../src/core/records/revision.js'
import {
  contextOf,
  describedRecord,
  type ExportSite,
} from '../../../src/features/exports/routes/described-record.js'
import { addressesOf } from '../../../src/http/page-urls/page-urls.js'
import { fullRecord, revisionOf } from '../../support/exports/sample-records.js'

describe('The description of a record on its page', () => {
  const related = Array.from({ length: 20_000 }, (_, index) => ({
    value: `other-${index}`,
    identifierType: 'INTERNAL',
    relationType: 'REFERENCES',
  }))
  const revision = revisionOf({ ...fullRecord, relatedIdentifiers: related } as Omit<StoredRecord, 'id'>)
  const asked = {
    revision: revision as Revision,
    addresses: addressesOf('https://example.org', '', 1),
    isPinned: false,
  }

  /** A site that counts the requested names. */
  function openSite() {
    let names = 0
    const site = {
      services: { blobSize: async () => 2 },
      feature: {
        exports: {
          describe: async () => undefined,
          async internalRecords(_: unknown, { record }: { readonly record: StoredRecord }) {
            names += record.relatedIdentifiers?.length ?? 0
            return new Map([['other-0', { kind: 'metadata', id: 'other-0' }]])
          },
        },
      },
      callerOf: () => undefined,
      publicCaller: { sid: 'anonymousUser', groups: [], roles: [] },
    }
    return { site: site as unknown as ExportSite, names: () => names }
  }

  it('looks up no more related records than it shows; an export looks up all', async () => {
    const page = openSite()
    const { document } = await describedRecord({} as never, page.site, asked)
    expect(page.names()).to.equal(100)
    expect(document.relatedIdentifiers?.[0]?.relatedIdentifier).to.equal(
      'https://example.org/metadata-landing-page?id=other-0',
    )

    const whole = openSite()
    await contextOf({} as never, whole.site, asked)
    expect(whole.names()).to.equal(20_000)
  })
})
