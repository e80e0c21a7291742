// test-schedule: quick

import { expect } from 'chai'
import type { FeatureToOpen } from '../../../src/compose/compose.js'
import type { Connection } from '../../../src/compose/open-parts.js'
import { ProblemError } from '../../../src/core/problem.js'
import type { Oid } from '../../../src/core/value-types.js'
import type { CommitLog, LogStep } from '../../../src/store/write/commit-log.js'
import { jsonSchema, startService, type TestService } from '../../support/http/test-service.js'
import { removeRepositories, temporaryRepository } from '../../support/repository/test-repository.js'

/** A log in memory: the commits that it has, in order. */
class MemoryLog implements CommitLog {
  readonly commits: Oid[] = []
  /** Called before each append, with the number of appends so far; its value is that of `append`. */
  decide: (count: number) => Promise<boolean> = async () => true
  refusal: ProblemError | undefined
  /** The commits that the local branch had to follow at the next `reconcile`. */
  ahead: LogStep | undefined
  appends = 0
  forgotten = 0

  forget(): void {
    this.forgotten++
  }

  async reconcile(here: Oid): Promise<LogStep> {
    const step = this.ahead
    this.ahead = undefined
    if (step) return step
    if (this.commits.at(-1) === here) return { how: 'same' }
    this.commits.push(here)
    return { how: 'again' }
  }

  async append(commit: Oid): Promise<boolean> {
    this.appends++
    const accepted = await this.decide(this.appends)
    if (accepted) this.commits.push(commit)
    return accepted
  }

  assertAccepts(): void {
    if (this.refusal) throw this.refusal
  }
}

async function serveWith(connection: Connection): Promise<TestService> {
  const feature: FeatureToOpen = {
    connect: async () => connection,
    open: async () => ({ name: 'connection', describeModule: undefined }),
  }
  return await startService({}, {}, await temporaryRepository({ bare: true }), { features: [feature] })
}

describe('the connection of a repository', () => {
  afterEach(removeRepositories)

  it('refuses every update with its refusal', async () => {
    const refusal = () => new ProblemError('forbidden', 'Send it elsewhere.')
    const service = await serveWith({ refusal })

    await service.storesNothing(async () => {
      const refused = await service.postSchema({ schemaId: 'a' }, jsonSchema()).expect(403)
      expect(refused.body.detail).to.equal('Send it elsewhere.')
      // The record is not looked up before.
      await service.http.delete('/api/v1/schemas/none').set('If-Match', '*').expect(403)
    })
    await service.http.get('/api/v1/schemas').expect(200)
  })

  it('has a log that gets the commits of the branch at the start, and each further one before it is the head', async () => {
    const log = new MemoryLog()
    const service = await serveWith({ log })
    expect(log.commits).to.deep.equal([await service.head()])

    let headBefore: string | undefined
    log.decide = async () => {
      headBefore = await service.head()
      return true
    }
    await service.postSchema({ schemaId: 'a' }, jsonSchema()).expect(201)

    expect(headBefore).to.equal(log.commits[0])
    expect(log.commits).to.have.lengthOf(2)
    expect(log.commits[1]).to.equal(await service.head())
    expect(await service.repository.git('rev-parse', 'HEAD^')).to.equal(log.commits[0])
  })

  it('has a log without whose consent nothing is stored', async () => {
    const log = new MemoryLog()
    const service = await serveWith({ log })
    log.decide = () => Promise.reject(new ProblemError('unavailable', 'The log is away.'))

    await service.storesNothing(async () => {
      const refused = await service.postSchema({ schemaId: 'a' }, jsonSchema()).expect(503)
      expect(refused.body.detail).to.equal('The log is away.')
    })
    await service.http.get('/api/v1/schemas/a').expect(404)

    log.decide = async () => true
    await service.postSchema({ schemaId: 'a' }, jsonSchema()).expect(201)
  })

  it('has a log whose commits of others come first: the update is planned again on them', async () => {
    const log = new MemoryLog()
    const service = await serveWith({ log })
    const { repository } = service
    const base = (await repository.head()) as Oid
    const tree = await repository.git('rev-parse', `${base}^{tree}`)
    const theirs = (await repository.git('commit-tree', tree, '-p', base, '-m', 'By another server')) as Oid
    log.decide = async count => {
      if (count > 1) return true
      log.ahead = { how: 'forward', to: theirs }
      log.commits.push(theirs)
      return false
    }

    await service.postSchema({ schemaId: 'a' }, jsonSchema()).expect(201)

    expect(log.appends).to.equal(2)
    expect(await repository.git('rev-parse', 'HEAD^')).to.equal(theirs)
    expect(log.commits).to.deep.equal([base, theirs, await repository.head()])
  })

  it('has a log that is asked again before an update is refused', async () => {
    const log = new MemoryLog()
    const service = await serveWith({ log })
    await service.postSchema({ schemaId: 'a' }, jsonSchema()).expect(201)
    const { forgotten } = log

    await service.postSchema({ schemaId: 'a' }, jsonSchema()).expect(409)

    expect(log.forgotten).to.be.above(forgotten)
  })

  it('has a log whose refusal makes the service unhealthy', async () => {
    const log = new MemoryLog()
    const service = await serveWith({ log })
    await service.http.get('/health').expect(200)

    log.refusal = new ProblemError('unavailable', 'The log refuses updates.')

    const { body } = await service.http.get('/health').expect(503)
    expect(body.checks.writable).to.deep.equal({ ok: false, detail: 'The log refuses updates.' })
    expect((await service.http.get('/health/ready').expect(503)).body.status).to.equal('READ_ONLY')
  })
})
