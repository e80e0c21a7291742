// test-schedule: waits
import { join } from 'node:path'
import { expect } from 'chai'
import { isLongForm } from '../../support/program/long-form.js'
import {
  type FinishedProcess,
  type RunningServer,
  runMetastore,
  runProgram,
  startServer,
  stopProcesses,
  temporaryFolder,
} from '../../support/program/run-program.js'
import {
  exampleRecordFolder,
  exampleRepositoryAt,
  initialise,
} from '../../support/repository/example-repository.js'
import { copyPrepared } from '../../support/repository/prepared-folder.js'
import { waitUntil } from '../../support/repository/test-repository.js'

const rod = '7c2e9b14-3f58-4a6d-8e01-5d9a4c6b7f20'
const fracture = '11d5f0c6-6a2b-4f0e-9d53-0b8f3f7a52c4'

for (const way of [
  'on a data folder',
  'on a data folder beside its running server',
  'on a running server',
] as const) {
  describe(`git-metastore search ${way}`, () => {
    let folder: string
    let server: RunningServer | undefined
    let where: readonly string[]

    const run = (...args: string[]): Promise<FinishedProcess> =>
      runMetastore(['search', ...args, ...where], { cwd: folder })
    async function found(...args: string[]): Promise<readonly string[]> {
      const { stdout, stderr, code } = await run(...args, '--json')
      expect(code, stderr).to.equal(0)
      const { total, entries } = JSON.parse(stdout) as { total: number; entries: { id: string }[] }
      expect(total).to.equal(entries.length)
      return entries.map(({ id }) => id)
    }

    before(async () => {
      folder = await temporaryFolder()
      const data = join(folder, 'data')
      await copyPrepared('examples', data, made => initialise(made, []))
      server = way === 'on a data folder' ? undefined : await startServer(['--data', data])
      where = way === 'on a running server' && server ? ['--url', server.url] : ['--data', data]
      // Waits for the first index of the server.
      if (server) await fetch(`${server.url}api/v1/search?wait=30&since=${await headOf(server)}`)
    })
    after(stopProcesses)

    async function headOf({ url }: RunningServer): Promise<string> {
      const changes = (await (await fetch(`${url}api/changes?limit=1000`)).json()) as { next: string }
      return changes.next
    }

    it('finds words, fields and paths', async () => {
      expect(await found('electron', 'microscope')).to.deep.equal([fracture])
      expect(await found('"Steel rod 7"', '--kind', 'metadata')).to.deep.equal([rod])
      expect(await found('sample.material.@class:metal')).to.deep.equal([rod])
      expect(await found('--kind', 'schema', '--sort', 'id')).to.deep.equal(['measurement', 'sample'])
      expect(await found('--schema', 'sample', '--year', '2020..2030')).to.deep.equal([rod])
      expect(await found('steel', '--kind', 'metadata', '--sort', 'id', '--type', 'XML')).to.deep.equal([rod])
      expect(await found('nothing like that')).to.deep.equal([])
      const steelOfJson = ['--kind', 'metadata', '--type', 'JSON']
      expect(await found(...steelOfJson, 'steel', 'NOT', 'tensile')).to.deep.equal([fracture])
      expect(await found(...steelOfJson, 'steel -tensile')).to.deep.equal([fracture])
    })

    it('finds nothing by symbols alone, and says why', async () => {
      expect(await found('𝄞', '"→ €"', 'NOT', '😀')).to.deep.equal([])
      expect((await run('𝄞')).stderr + (await run('𝄞')).stdout).to.contain('has no word, so it finds nothing')
    })

    it('narrows by every option', async () => {
      const documents = [fracture, rod].sort()
      const narrowed = async (...args: string[]) => (await found('--kind', 'metadata', ...args)).toSorted()
      const [image, sample] = [
        'https://example.org/images/fracture-7',
        'https://example.org/samples/steel-rod-7',
      ]
      const cases = [
        [['--licence', 'CC0-1.0'], documents],
        [['--licence', 'CC-BY-4.0'], []],
        [['--creator', 'Example, Ada'], documents],
        [['--creator', 'Example'], []],
        [['--resource', image], [fracture]],
        [['--resource', image, '--resource', sample], documents],
        [['--state', 'VOLATILE'], documents],
        [['--state', 'FIXED'], []],
        [['--language', 'en'], []],
        [['--from', '2020'], documents],
        [['--until', '2020'], []],
        [['--from', '2020', '--until', '2020-12-31'], []],
      ] as const
      // Beside a server, the command uses the server's index. Two options suffice, because the code is the same.
      const isShort = way === 'on a data folder beside its running server' && !isLongForm
      for (const [args, ids] of isShort ? cases.slice(0, 2) : cases)
        expect(await narrowed(...args), args.join(' ')).to.deep.equal(ids)
    })

    it('searches at a point of the history', async () => {
      const { stdout } = await runProgram('git', ['-C', join(folder, 'data'), 'rev-parse', 'HEAD'])
      expect(
        await found('steel', '--kind', 'metadata', '--sort', 'id', '--type', 'XML', '--at', stdout.trim()),
      ).to.deep.equal([rod])
      const { code, stderr } = await run('steel', '--at', 'no-such-tag')
      expect(code, stderr).to.not.equal(0)
      expect(stderr).to.contain('no-such-tag')
    })

    it('prints a table with the context of each hit, and facets', async () => {
      const { stdout, stderr, code } = await run('tensile', '--facets', 'schema')
      expect(code, stderr).to.equal(0)
      const [titles, hit, facetTitles, facet] = stdout.split('\n')
      expect(titles).to.match(/^KIND +ID +VERSION +SCHEMA +LAST UPDATE +MATCH$/)
      expect(hit).to.contain(rod).and.to.contain('sample.preparation: Broken in a tensile test')
      expect(facetTitles).to.match(/^FACET +VALUE +RECORDS$/)
      expect(facet).to.match(/^schema +sample +1$/)
    })

    it('reports other interpretations of the query, and further pages', async () => {
      const odd = await run('"fracture')
      expect([odd.code, odd.stdout.includes(fracture)]).to.deep.equal([0, true])
      expect(odd.stderr).to.contain('quotation mark')
      expect((await run('--size', '1')).stderr).to.contain('1 to 1 of 4; --page 1 has more.')
      expect((await run('xylophone')).stderr).to.contain('None.')
    })

    it('refuses invalid options', async () => {
      for (const [args, message] of [
        [['--sort', 'size'], 'sort'],
        [['--from', 'yesterday'], 'time'],
        [['--facets', 'settings.value'], 'settings.value'],
        [['settings.value:1..2'], 'settings.value'],
      ] as const) {
        const { code, stderr } = await run('steel', ...args)
        expect(code, stderr).to.not.equal(0)
        expect(stderr).to.contain(message)
      }
      expect((await run('--kind', 'all')).code).to.equal(2)
      expect((await run('--size', '0')).code).to.equal(2)
    })

    it('reports no newest changes at a former point of the history', async () => {
      const repository = exampleRepositoryAt(folder, join(folder, 'data'))
      const former = await repository.git('rev-parse', 'HEAD')
      await repository.edit(`${exampleRecordFolder}/document.json`, text =>
        text.replace('overview', 'detail'),
      )
      await repository.git('commit', '-q', '-a', '-m', 'another word')
      const head = await repository.git('rev-parse', 'HEAD')
      const url = server && `${server.url}api/v1/search?wait=30&since=${head}`
      if (url) await waitUntil('the server follows', async () => (await fetch(url)).status === 200)

      const { code, stderr } = await run('--at', former)
      expect([code, stderr]).to.deep.equal([0, ''])
    })
  })
}
