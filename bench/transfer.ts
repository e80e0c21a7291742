import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { git } from './support/fill.js'
import { generate } from './support/generate.js'
import { median } from './support/statistics.js'

/*
 * Import and export of records with documents of some 2 KB, as whole commands, start of the process included, against
 * `git fast-import` and `git fast-export` of the same commits. The import is validated and durable; git's is neither.
 */

const records = process.argv.includes('--quick') ? 2_000 : 20_000
const repeats = 3
const program = fileURLToPath(new URL('../../bin/git-metastore.js', import.meta.url))

/** @returns seconds it took */
async function timed(job: () => Promise<void>): Promise<number> {
  const started = performance.now()
  await job()
  return (performance.now() - started) / 1000
}

async function metastore(...args: string[]): Promise<void> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'ignore', 'inherit'] })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`git-metastore ${args[0]} ended with ${code}.`)
}

async function fastExport(dir: string, file: string): Promise<void> {
  const child = spawn('git', ['fast-export', 'main'], { cwd: dir, stdio: ['ignore', 'pipe', 'inherit'] })
  await pipeline(child.stdout, createWriteStream(file))
}

async function fastImport(dir: string, file: string): Promise<void> {
  if (spawnSync('git', ['init', '-q', '--bare', '-b', 'main', dir]).status !== 0)
    throw new Error('git init failed.')
  const child = spawn('git', ['fast-import', '--quiet'], { cwd: dir, stdio: ['pipe', 'ignore', 'inherit'] })
  const ended = once(child, 'exit')
  await pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), child.stdin)
  await ended
}

const root = await mkdtemp(join(tmpdir(), 'git-metastore-bench-'))
try {
  const source = join(root, 'source')
  const stream = join(root, 'stream')
  const lines = join(root, 'all.jsonl')
  await generate(source, { records, versions: 1, schemas: 5, seed: '1', bare: true })
  // The first command reads the history into the catalog, which is not what is measured.
  await metastore('list', '--data', source)
  const ways = { 'git fast-export': [], export: [], 'git fast-import': [], import: [], 'import --squash': [] }
  const taken: Record<keyof typeof ways, number[]> = ways
  for (let repeat = 0; repeat < repeats; repeat++) {
    const at = (name: string) => join(root, `${name}-${repeat}`)
    taken['git fast-export'].push(await timed(() => fastExport(source, stream)))
    taken.export.push(await timed(() => metastore('export', '--data', source, '--output', lines)))
    taken['git fast-import'].push(await timed(() => fastImport(at('git'), stream)))
    for (const [way, options] of [
      ['import', []],
      ['import --squash', ['--squash']],
    ] as const) {
      await metastore('init', '--empty', '--bare', at(way))
      taken[way].push(await timed(() => metastore('import', lines, '--data', at(way), ...options)))
      const same = (dir: string) => git(dir, 'rev-parse', 'HEAD:metadata', 'HEAD:schemas')
      if (same(at(way)) !== same(source)) throw new Error(`${way} made something else of the same records.`)
      await rm(at(way), { recursive: true })
    }
    await rm(at('git'), { recursive: true })
  }
  process.stdout.write(
    `\n${records} records, ${Math.round((await stat(lines)).size / records)} bytes a line\n`,
  )
  const print = (way: keyof typeof ways, other: keyof typeof ways) => {
    const ratio = median(taken[other]) / median(taken[way])
    const rate = Math.round(records / median(taken[way]))
    process.stdout.write(`${way.padEnd(20)}${`${rate}/s`.padStart(10)}  ${ratio.toFixed(2)}× ${other}\n`)
  }
  print('import', 'git fast-import')
  print('import --squash', 'git fast-import')
  print('export', 'git fast-export')
} finally {
  await rm(root, { recursive: true, force: true })
}
