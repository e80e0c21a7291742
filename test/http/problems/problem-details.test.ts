// test-schedule: quick
import { expect } from 'chai'
import { ProblemError, type ProblemKind } from '../../../src/core/problem.js'
import { problemAnswer } from '../../../src/http/problems/problem-details.js'
import { expectServerErrors } from '../../support/answer-checks/check-every-answer.js'
import { startDamagedService } from '../../support/http/damaged-service.js'
import { startService } from '../../support/http/test-service.js'
import { removeRepositories } from '../../support/repository/test-repository.js'

describe('an unexpected error', () => {
  afterEach(removeRepositories)

  it('is reported to the operator, without details for the client', async () => {
    expectServerErrors()
    const reports: string[] = []
    const service = await startService({
      identify: () => {
        throw new TypeError('the secret')
      },
      report: (error, request) => reports.push(`${request}: ${String(error)}`),
    })

    const answer = await service.http.get('/api/v1/schemas').expect(500)

    expect(answer.headers['content-type']).to.equal('application/problem+json')
    expect(answer.body).to.include({ type: 'about:blank', title: 'Internal Server Error', status: 500 })
    expect(answer.text).not.to.contain('secret')
    expect(reports).to.deep.equal(['GET /api/v1/schemas: TypeError: the secret'])
  })
})

describe('damage of the repository', () => {
  afterEach(removeRepositories)

  it('is reported to the operator', async () => {
    expectServerErrors()
    const reports: string[] = []
    const service = await startDamagedService(error => reports.push(String(error)))

    const answer = await service.http.get('/api/v1/metadata/a')

    expect(answer.status, answer.text).to.equal(500)
    expect(reports.join()).to.contain('The repository has no object')
    expect(reports).to.have.length(1)
  })
})

describe('a problem', () => {
  it('has the status of its kind', () => {
    const statuses: readonly (readonly [ProblemKind, number])[] = [
      ['malformed-request', 400],
      ['unauthenticated', 401],
      ['forbidden', 403],
      ['not-found', 404],
      ['method-not-allowed', 405],
      ['not-acceptable', 406],
      ['conflict', 409],
      ['gone', 410],
      ['precondition-failed', 412],
      ['too-large', 413],
      ['unsupported-media-type', 415],
      ['page-out-of-range', 416],
      ['unprocessable', 422],
      ['precondition-required', 428],
      ['internal', 500],
      ['unavailable', 503],
      ['unusable-repository', 503],
      ['no-space', 507],
    ]
    for (const [kind, status] of statuses) {
      const answer = problemAnswer(new ProblemError(kind, 'why'), '/there')
      expect(answer.status, kind).to.equal(status)
      expect(JSON.parse(answer.body)).to.include({
        type: 'about:blank',
        status,
        detail: 'why',
        instance: '/there',
      })
      expect(JSON.parse(answer.body).title).to.be.a('string')
    }
  })

  it('has the headers that a client needs to continue', () => {
    const findings = [{ message: 'wrong', path: '/a', schemaPath: '/type' }]
    const invalid = problemAnswer(new ProblemError('unprocessable', 'why', { findings }), '/x')
    expect(JSON.parse(invalid.body).findings).to.deep.equal(findings)
    expect(problemAnswer(new ProblemError('unavailable', 'why', { retryAfter: 7 }), '/x').headers).to.include(
      {
        'Retry-After': '7',
      },
    )
    expect(
      problemAnswer(new ProblemError('page-out-of-range', 'why', { total: 3 }), '/x').headers,
    ).to.include({
      'Content-Range': '*/3',
    })
  })
})
