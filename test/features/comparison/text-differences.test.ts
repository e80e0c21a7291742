import { expect } from 'chai'
import type { ComposedServices } from '../../../src/compose/compose.js'
import { selfPrincipal } from '../../../src/core/access-control.js'
import { type DiffAndBlame, openDiffAndBlame } from '../../../src/features/comparison/open-comparison.js'
import { expectProblem } from '../../support/data/expect-problem.js'
import { storeTwoVersions } from '../../support/repository/note-records.js'
import {
  ifMatchAny,
  parseTestId,
  testOrigins,
  titleJsonSchema,
  toTestVersion,
} from '../../support/repository/sample-values.js'
import {
  removeRepositories,
  type TestRepository,
  temporaryRepository,
} from '../../support/repository/test-repository.js'

for (const git of ['auto', 'none']) {
  describe(`the difference of two versions as text (git binary: ${git})`, () => {
    let repository: TestRepository
    let services: ComposedServices
    let diffAndBlame: DiffAndBlame

    beforeEach(async () => {
      repository = await temporaryRepository()
      services = await repository.compose({ git })
      diffAndBlame = openDiffAndBlame(services.parts)
      await storeTwoVersions(services)
    })
    afterEach(removeRepositories)

    it('shows changes between two versions as unified text', async () => {
      const text = await diffAndBlame.diff(parseTestId('mine'), toTestVersion(1), toTestVersion(2))

      expect(text).to.match(/^diff --git a\/metadata\/.*\/mine\/document.json b\/metadata/)
      expect(text).to.include('\n-  "title": "one"\n+  "title": "two"\n }\n')
      expect(text).to.not.include('record.json')
      expect(await diffAndBlame.diff(parseTestId('mine'), toTestVersion(1), toTestVersion(1))).to.equal('')
      await expectProblem(
        () => diffAndBlame.diff(parseTestId('mine'), toTestVersion(1), toTestVersion(3)),
        'not-found',
        "Version '3'",
      )
      await expectProblem(
        () => diffAndBlame.diff(parseTestId('none'), toTestVersion(1), toTestVersion(1)),
        'not-found',
      )
    })

    it('shows added and removed files', async () => {
      await services.collections.schema.revise(
        selfPrincipal,
        parseTestId('note'),
        ifMatchAny,
        { document: titleJsonSchema('body') },
        testOrigins,
      )

      const text = await diffAndBlame.diff(parseTestId('note'), toTestVersion(1), toTestVersion(2))

      expect(text).to.include('--- a/schemas/note/parts/a.json\n+++ /dev/null\n')
      expect(text).to.include('+++ b/schemas/note/schema.json\n')
    })

    it('exists for a GONE record', async () => {
      await services.collections.metadata.remove(selfPrincipal, parseTestId('mine'), ifMatchAny)
      await services.collections.metadata.remove(selfPrincipal, parseTestId('mine'), ifMatchAny)

      expect(await diffAndBlame.diff(parseTestId('mine'), toTestVersion(1), toTestVersion(2))).to.include(
        '+  "title": "two"',
      )
    })
  })
}
