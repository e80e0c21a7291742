import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { expectServerErrors } from '../../../support/answer-checks/check-every-answer.js'
import {
  type RunningServer,
  runProgram,
  startServer,
  stopProcesses,
} from '../../../support/program/run-program.js'
import {
  type ExampleRepository,
  initExampleRepository,
} from '../../../support/repository/example-repository.js'

describe('a file of the repository that is damaged while a server runs', () => {
  let example: ExampleRepository
  let server: RunningServer
  beforeEach(async () => {
    expectServerErrors()
    example = await initExampleRepository()
    await example.git('tag', 'light')
    await example.git('pack-refs', '--all')
    server = await startServer(['--data', example.data])
    expect((await fetch(`${server.url}health`)).status).to.equal(200)
  })
  afterEach(stopProcesses)

  for (const [name, damage, fault] of [
    ['packed-refs', (text: string) => `${text}\u0001\u0002\n`, 'its line 4 is no ref'],
    ['packed-refs', (text: string) => text.slice(0, -5), 'its last line is cut off'],
    ['config', (text: string) => `${text}<<<<<<< HEAD\n`, 'is no setting'],
  ] as const) {
    it(`${name} (${fault}) is reported by health, the log and a clone until its repair`, async () => {
      const file = join(example.data, '.git', name)
      const text = readFileSync(file, 'utf8')
      writeFileSync(file, damage(text))

      const answer = await fetch(`${server.url}health`)
      const { checks } = (await answer.json()) as {
        checks: { repository: { ok: boolean; detail: string } }
      }
      expect([answer.status, checks.repository.ok]).to.deep.equal([503, false])
      expect(checks.repository.detail)
        .to.contain(`${name} in the Git directory is damaged`)
        .and.contain(fault)

      const clone = await runProgram('git', [
        'clone',
        '-q',
        `${server.url}repository.git`,
        join(example.folder, 'clone'),
      ])
      expect(clone.code).to.not.equal(0)
      expect(clone.stderr).to.contain(`${name} in the Git directory is damaged`).and.not.contain(example.data)
      expect(server.stderr()).to.contain(`${name}`).and.contain('damaged')
      // The server still serves records.
      expect((await fetch(`${server.url}api/v1/schemas/measurement`)).status).to.equal(200)

      writeFileSync(file, text)
      expect((await fetch(`${server.url}health`)).status).to.equal(200)
    })
  }
})
