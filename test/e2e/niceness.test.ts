import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { metadataRecordV1, startService } from '../support/http/test-service.js'
import { childrenOf } from '../support/program/child-processes.js'
import { programScript, type RunningServer, start, stopProcesses } from '../support/program/run-program.js'
import { removeRepositories, temporaryRepository, waitUntil } from '../support/repository/test-repository.js'
import { upload } from '../support/servers/uploads.js'

// test-schedule: alone

/** A schema that validates each member twice, so that the time doubles with each level of a document. */
const doublingSchema = JSON.stringify({
  anyOf: [{ properties: { a: { $ref: '#' } }, required: ['b'] }, { properties: { a: { $ref: '#' } } }],
})
/** A document whose validation takes longer than a quick check may. */
const slowDocument = `${'{"a":'.repeat(23)}{}${'}'.repeat(23)}`

/** The niceness of each thread of a process. @see proc_pid_stat(5) */
function threadNiceness(pid: number): readonly number[] {
  return readdirSync(`/proc/${pid}/task`).map(thread => {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')
    return Number(stat.split(') ').at(-1)?.split(' ')[16])
  })
}

/** The niceness of the first thread of each process with this script below a server. */
function processNiceness(server: RunningServer, script: string): readonly (number | undefined)[] {
  return childrenOf(server, script).map(({ pid }) => threadNiceness(pid)[0])
}

describe('the niceness of work beside updates', () => {
  let dir: string
  before(async function () {
    if (!existsSync('/proc/self/stat')) this.skip()
    const service = await startService({}, {}, await temporaryRepository())
    dir = service.repository.dir
    await service.postSchema({ schemaId: 'distinct' }, doublingSchema).expect(201)
    await service.services.close()
  })
  afterEach(stopProcesses)
  after(removeRepositories)

  for (const [own, expected] of [
    [0, { search: 10, index: 15, slowValidation: 10 }],
    [7, { search: 17, index: 19, slowValidation: 17 }],
  ] as const) {
    it(`is relative to ${own}, with which the server was started`, async () => {
      const serve = [process.execPath, programScript, 'serve', '--data', dir, '--port', '0']
      const server = await start('nice', ['-n', String(own), ...serve])
      const { pid } = server.child

      const found = await fetch(`${server.url}api/v1/search?q=distinct&kind=schema`)
      expect(found.status, await found.text()).to.be.oneOf([200, 503])
      await waitUntil('the search process runs', () =>
        processNiceness(server, 'find-process-entry').includes(expected.search),
      )
      await waitUntil('the index is made', () => threadNiceness(pid as number).includes(expected.index))

      await upload(server.url, 'metadata', metadataRecordV1(`http://x/${own}`, 'distinct'), slowDocument)
      expect(processNiceness(server, 'validation-process-entry')).to.include(expected.slowValidation)
    })
  }
})
