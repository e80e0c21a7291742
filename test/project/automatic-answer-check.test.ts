import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { packageFolder } from '../../src/cli/installed-package.js'
import { securityHeaders } from '../../src/http/security-headers.js'
import { hasStandards } from '../support/oai-pmh/oai-standards.js'
import { hasXmllint } from '../support/oai-pmh/xmllint.js'
import {
  type FinishedProcess,
  runProgram,
  startServer,
  stopProcesses,
  temporaryFolder,
} from '../support/program/run-program.js'

const mocha = join(packageFolder(), 'node_modules', 'mocha', 'bin', 'mocha.js')
const support = (name: string) => JSON.stringify(new URL(`../support/${name}.js`, import.meta.url).href)

/**
 * Runs a test of an app that sends `answer` to a request for a path, with other statements before and after the
 * request.
 */
function runTests(
  answer: string,
  { before = '', after = '', path = '/health' } = {},
): Promise<FinishedProcess> {
  return runTestsOf([{ title: 'asks, and looks at nothing', answer }], { before, after, path })
}

/** Runs a test for each answer in one mocha process, because the start of mocha takes a second. */
async function runTestsOf(
  tests: readonly { readonly title: string; readonly answer: string }[],
  { before = '', after = '', path = '/health' },
): Promise<FinishedProcess> {
  const folder = await temporaryFolder()
  const koa = JSON.stringify(import.meta.resolve('koa'))
  const supertest = JSON.stringify(import.meta.resolve('supertest'))
  await writeFile(
    join(folder, 'some.test.mjs'),
    `import Koa from ${koa}
     import request from ${supertest}
     import { expectServerErrors } from ${support('answer-checks/check-every-answer')}
     import { openReports } from ${support('repository/operator-reports')}
     ${tests
       .map(
         ({ title, answer }) => `it('${title}', async () => {
         ${before}
         const app = new Koa()
         app.silent = true
         app.use(ctx => { ${answer} })
         await request(app.callback()).get('${path}')
         ${after}
       })`,
       )
       .join('\n')}
     it('asks for nothing', () => {})
    `,
  )
  // The limit of `npm test`. The default of mocha is two seconds.
  return runProgram(process.execPath, [mocha, '--timeout', '300000', join(folder, 'some.test.mjs')])
}

const onAnyAnswer = { ...securityHeaders, 'X-Request-Id': 'r-1' }
const health = `${JSON.stringify(Object.entries(onAnyAnswer))}.forEach(header => ctx.set(...header))
  ctx.set('Cache-Control', 'no-store')
  ctx.set('Content-Type', 'application/json')
  const checks = { repository: { ok: true }, writable: { ok: true }, catalog: { ok: true } }
  const warnings = { branch: { ok: true }, edits: { ok: true }, records: { ok: true } }
  ctx.body = JSON.stringify({ status: 'UP', checks, warnings, faults: [], undone: [] })`
const failed = `${JSON.stringify(Object.entries(onAnyAnswer))}.forEach(header => ctx.set(...header))
  ctx.status = 500
  ctx.set('Content-Type', 'application/problem+json')
  const problem = { type: 'about:blank', title: 'Internal Server Error', status: 500, detail: 'why', instance: '/health' }
  ctx.body = JSON.stringify(problem)`

const harvest = (
  content: string,
) => `${JSON.stringify(Object.entries(onAnyAnswer))}.forEach(header => ctx.set(...header))
  ctx.set('Cache-Control', 'no-cache')
  ctx.set('Content-Type', 'text/xml; charset=utf-8')
  ctx.body = '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>2026-11-01T00:00:00Z</responseDate>' +
    '<request>https://example.org/oaipmh</request>${content}</OAI-PMH>'`

describe('a test with responses of the server', () => {
  afterEach(stopProcesses)

  it('passes if the response matches the description', async () => {
    const { code, stdout } = await runTests(health)

    expect(stdout).to.contain('2 passing').and.not.to.contain('failing')
    expect(code).to.equal(0)
  })

  it('fails alone if the response differs, and reports the difference and its place', async () => {
    const { code, stdout } = await runTests(`${health}; ctx.set('X-Cache', 'none')`)

    expect(stdout).to.contain('1 passing').and.to.contain('1 failing')
    expect(stdout).to.contain('GET /health → 200: the header x-cache is not described')
    expect(code).to.equal(1)
  })

  it('reports both reasons if it fails for another reason, too, and does not affect the next test', async () => {
    const { stdout } = await runTests(`${health}; ctx.set('X-Cache', 'none')`, {
      after: `throw new Error('another reason')`,
    })

    expect(stdout).to.contain('1 passing').and.to.contain('1 failing')
    expect(stdout).to.contain('another reason').and.to.contain('x-cache is not described')
  })

  it('shows the reports of the services if it fails', async () => {
    const { stdout } = await runTests(health, {
      before: `openReports().push('the disk is full')`,
      after: `throw new Error('another reason')`,
    })

    expect(stdout).to.match(/another reason\s+The services reported:\s+the disk is full/)
  })

  it('fails if the server failed, unless the test announced that', async () => {
    const unexpected = await runTests(failed)
    const expected = await runTests(failed, { before: 'expectServerErrors()' })

    expect(unexpected.stdout).to.contain('GET /health → 500: the server failed')
    expect(unexpected.code).to.equal(1)
    expect(expected.stdout).to.contain('2 passing')
    expect(expected.code).to.equal(0)
  })

  it('fails if an OAI-PMH answer is invalid by the schemas of the protocol', async function () {
    if (!hasStandards) return this.skip()
    const path = '/oaipmh?verb=ListRecords'
    const foreign = (element: string) => {
      const header = '<header><identifier>a</identifier><datestamp>2026-11-01T00:00:00Z</datestamp></header>'
      return harvest(`<ListRecords><record>${header}<metadata>${element}</metadata></record></ListRecords>`)
    }

    const large = `<!--${'-x'.repeat(2 ** 18)}--><error code="ofALargeOne">why</error>`

    const { stdout } = await runTestsOf(
      [
        { title: 'valid', answer: harvest('<error code="badArgument">why</error>') },
        { title: 'invalid', answer: harvest('<error code="unheardOf">why</error>') },
        { title: 'large', answer: harvest(large) },
        { title: 'foreign', answer: foreign('<x xmlns="urn:x"/>') },
        { title: 'unknown', answer: foreign('<x xmlns="http://www.openarchives.org/OAI/2.0/oai_dc/"/>') },
      ],
      { path },
    )

    expect(stdout).to.contain('✔ valid').and.to.contain('✔ foreign').and.to.contain('3 passing')
    expect(stdout)
      .to.match(/1\) invalid\n.*2\) large\n.*3\) unknown\n/s)
      .and.to.contain('3 failing')
    expect(stdout).to.contain('unheardOf').and.to.contain('ofALargeOne')
    if (hasXmllint()) expect(stdout).to.match(/GET \/oaipmh\S+ → 200, by xmllint: line 1: .*unheardOf/)
  })

  it('also checks the responses of a server in another process', async () => {
    const folder = await temporaryFolder()
    const wrong = join(folder, 'wrong')
    const preload = join(folder, 'preload.mjs')
    // Sets a header that the description does not contain, on every list.
    await writeFile(
      preload,
      `import { ServerResponse } from 'node:http'
       const { setHeader } = ServerResponse.prototype
       ServerResponse.prototype.setHeader = function (name, value) {
         if (name === 'Content-Range') setHeader.call(this, 'X-Cache', 'none')
         return setHeader.call(this, name, value)
       }`,
    )
    await mkdir(join(folder, 'data'))
    const env = { WRONG_ANSWERS_FILE: wrong, NODE_OPTIONS: `--import ${preload}` }
    const server = await startServer(['--data', join(folder, 'data')], { env })

    await fetch(`${server.url}health`)
    expect(existsSync(wrong)).to.equal(false)
    await fetch(`${server.url}api/v1/schemas`)

    expect(await readFile(wrong, 'utf8')).to.contain('the header x-cache is not described')
  })
})
