// test-schedule: quick
import { expect } from 'chai'
import { expectServerErrors } from '../../support/answer-checks/check-every-answer.js'
import { startDamagedService } from '../../support/http/damaged-service.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

describe('damage of the repository, on a page', () => {
  afterEach(removeRepositories)

  it('is reported to the operator', async () => {
    expectServerErrors()
    const reports: string[] = []
    const service = await startDamagedService(error => reports.push(String(error)))

    const answer = await service.http.get('/metadata-landing-page?id=a').set({ Accept: 'text/html' })

    expect(answer.status, answer.text).to.equal(500)
    expect(reports.join()).to.contain('The repository has no object')
    expect(reports).to.have.length(1)
  })

  const everyAnswer = [
    'connection',
    'content-length',
    'content-security-policy',
    'content-type',
    'cross-origin-resource-policy',
    'date',
    'preference-applied',
    'vary',
    'x-content-type-options',
    'x-request-id',
  ]
  const everyPage = [...everyAnswer, 'cache-control', 'cross-origin-opener-policy', 'referrer-policy']
  const forms = [
    ['problem details', 'application/json', everyAnswer],
    ['a page', 'text/html', everyPage],
  ] as const
  for (const [form, Accept, names] of forms)
    it(`is answered as ${form} with headers of the problem, not of the failed download`, async () => {
      expectServerErrors()
      const service = await startDamagedService(() => undefined)

      const answer = await service.http
        .get('/download/metadata/a')
        .set({ Accept, Prefer: 'handling=strict' })
        .expect(500)

      expect(Object.keys(answer.headers)).to.have.members(names)
    })
})
