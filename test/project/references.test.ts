// test-schedule: quick
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { packageFolder } from '../../src/cli/installed-package.js'
import { headingNames } from '../support/documentation/document-headings.js'

/*
 * The tag "see" of a comment refers to the source of a rule or a format. Semicolons separate targets. A target is a
 * document of the repository, a source file, an exported name, or public: an RFC, a URL, or a manual page. Free text
 * may follow a target.
 */

const folders = ['bench', 'bin', 'src', 'test']

interface Reference {
  /** Path and line of the comment. */
  readonly place: string
  readonly target: string
}

describe('the references of comments', () => {
  let leadsNowhere: (target: string) => string | undefined

  before(async () => {
    leadsNowhere = await openCheck()
  })

  it('lead to a document, the source, or a public description', async () => {
    const references = await readReferences()
    expect(references).to.have.length.above(100)

    const wrong = references.map(({ place, target }) => [place, leadsNowhere(target)] as const)

    expect(
      wrong.filter(([, why]) => why !== undefined).map(([place, why]) => `${place}: ${why}`),
    ).to.deep.equal([])
  })

  for (const target of [
    'docs/contract.md',
    'docs/contract.md#mounts',
    'docs/contract.md#paging, 2,000 records',
    'src/core/problem.ts',
    'problem.ts',
    'ProblemError',
    '{@link ProblemError}',
    'Transactions.readCommitted',
    'RFC 9110 §13.1.1',
    'https://sqlite.org/wal.html, "Checkpointing"',
    'gitformat-pack(5), "pack-*.idx files"',
    'proc_pid_fd(5)',
  ]) {
    it(`may be ${target}`, () => {
      expect(leadsNowhere(target)).to.equal(undefined)
    })
  }

  for (const [target, why] of [
    ['contract, 2.3', 'nothing that is known'],
    ['contract', 'nothing that is known'],
    ['design, section 10', 'nothing that is known'],
    ['the documentation of SQLite', 'nothing that is known'],
    ['', 'nothing that is known'],
    ['docs/spec.md', 'no such document'],
    ['docs/contract.md#no-such-heading', 'no such heading'],
    ['docs/contract.md#', 'no such heading'],
    ['src/core/nothing.ts', 'no such file'],
    ['nothing.ts', 'no such file'],
    ['noSuchFunction', 'nothing that is known'],
  ] as const) {
    it(`may not be "${target}"`, () => {
      expect(leadsNowhere(target)).to.equal(`"${target}" is ${why}`)
    })
  }

  it('are found in comments of every form', () => {
    const text = [
      '/** Text. @see first(1) */',
      '/**',
      ' * Text. @see second(2); third(3) for more,',
      ' *   and more; @see fourth(4)',
      ' * @throws Error @see fifth(5) @returns nothing',
      ' */',
      "const text = '@see nothing'",
      'call() // @see sixth(6)',
    ].join('\n')

    expect(referencesIn('file.ts', text)).to.deep.equal([
      { place: 'file.ts:1', target: 'first(1)' },
      { place: 'file.ts:3', target: 'second(2)' },
      { place: 'file.ts:3', target: 'third(3) for more, and more' },
      { place: 'file.ts:4', target: 'fourth(4)' },
      { place: 'file.ts:5', target: 'fifth(5)' },
      { place: 'file.ts:8', target: 'sixth(6)' },
    ])
  })
})

/** Opens a check that returns the reason why a target is wrong; undefined if it is correct. */
async function openCheck(): Promise<(target: string) => string | undefined> {
  const files = await sourceFiles()
  const names = new Set(files.flatMap(({ path }) => [path, path.slice(path.lastIndexOf('/') + 1)]))
  const declared = new Set(
    files.flatMap(({ text }) => [...text.matchAll(declaration)].map(([, name]) => name)),
  )
  const documents = new Map(
    (await textsIn('docs', /\.md$/)).map(({ path, text }) => [path, headingNames(text)] as const),
  )

  function reason(target: string): string | undefined {
    if (publicTargets.some(pattern => pattern.test(target))) return undefined
    const [, document, mark, heading = ''] =
      /^(docs\/[\w./-]+\.md)(?:(#)([\w-]*))?(?![\w/])/.exec(target) ?? []
    if (document !== undefined) {
      const headings = documents.get(document)
      if (!headings) return 'no such document'
      return mark === undefined || headings.includes(heading) ? undefined : 'no such heading'
    }
    const [, file] = /^((?:[\w.-]+\/)*[\w.-]+\.[jt]s)(?!\w)/.exec(target) ?? []
    if (file !== undefined) return names.has(file) ? undefined : 'no such file'
    const [, symbol] = /^(?:\{@link )?([A-Za-z_]\w*)(?:\.\w+)?\}?$/.exec(target) ?? []
    return symbol !== undefined && declared.has(symbol) ? undefined : 'nothing that is known'
  }

  return target => {
    const why = reason(target)
    return why === undefined ? undefined : `"${target}" is ${why}`
  }
}

/** RFCs, URLs, and manual pages such as `unix(7)` and `gitformat-pack(5)`. */
const publicTargets = [/^RFC \d+(?!\w)/, /^https?:\/\/\S+\.\S+/, /^[a-z][\w.+-]*\([1-8]\)/]

/** Matches exported names. */
const declaration = /^export (?:async )?(?:abstract )?(?:function|class|interface|type|const|enum) (\w+)/gm

async function readReferences(): Promise<readonly Reference[]> {
  return (await sourceFiles()).flatMap(({ path, text }) => referencesIn(path, text))
}

/** @param path path of the file, for messages */
function referencesIn(path: string, text: string): readonly Reference[] {
  const lines = text.split('\n')
  return lines.flatMap((line, index) => {
    const [comment] = /(?:^\s*\*|\/\*\*?|\/\/) .*$/.exec(line) ?? ['']
    return comment
      .split(/@see\b/)
      .slice(1)
      .flatMap((told, number, all) => {
        const isLast = number === all.length - 1
        const whole = isLast ? told + followingLines(lines, index) : told
        return targetsOf(whole).map(target => ({ place: `${path}:${index + 1}`, target }))
      })
  })
}

/** Returns the lines of a block comment that continue the text of a line. */
function followingLines(lines: readonly string[], at: number): string {
  let text = ''
  for (
    let next = at + 1;
    !lines[next - 1]?.includes('*/') && /^\s*\* +[^@\s]/.test(lines[next] ?? '');
    next++
  )
    text += ` ${lines[next]?.replace(/^\s*\* +/, '')}`
  return text
}

/** @param told text behind the tag */
function targetsOf(told: string): readonly string[] {
  const [text = ''] = told.split(/\*\/|(?<!\{)@\w/)
  return text
    .split(';')
    .map(target => target.trim())
    .filter((target, index) => target !== '' || index === 0)
}

async function sourceFiles(): Promise<readonly { readonly path: string; readonly text: string }[]> {
  return (await Promise.all(folders.map(folder => textsIn(folder, /\.(?:ts|js)$/)))).flat()
}

async function textsIn(folder: string, names: RegExp) {
  const found = (await readdir(join(packageFolder(), folder), { recursive: true })).filter(name =>
    names.test(name),
  )
  return await Promise.all(
    found.map(async name => ({
      path: `${folder}/${name.replaceAll('\\', '/')}`,
      text: await readFile(join(packageFolder(), folder, name), 'utf8'),
    })),
  )
}
