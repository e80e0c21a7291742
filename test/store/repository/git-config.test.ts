import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import { configFault } from '../../../src/store/repository/git-config.js'

describe('the configuration file of a repository', () => {
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'git-metastore-config-'))
  })
  after(() => rmSync(folder, { recursive: true }))

  /** The line that git reports; undefined if git accepts the file. */
  function lineByGit(text: string): number | undefined {
    const file = join(folder, 'config')
    writeFileSync(file, text, 'latin1')
    const { status, stderr } = spawnSync('git', ['config', '--file', file, '--list'], { encoding: 'utf8' })
    if (status === 0) return undefined
    return Number(/bad config line (\d+) in file/.exec(stderr)?.[1])
  }
  const lineFoundIn = (text: string) => {
    const fault = configFault(Buffer.from(text, 'latin1').toString())
    return fault === undefined ? undefined : Number(/^its line (\d+) /.exec(fault)?.[1])
  }

  it('is faulty in the line that git reports', () => {
    const texts = [
      '',
      '[core]\n\tbare = false\n',
      '[core]\n\tbare = "fal',
      '[core]\n\tbare = "fal\n[user]\n',
      'xx\u0001garbage{{\n',
      '\0'.repeat(50),
      '[core\n',
      '[core]\nname = a \\\n b\n\\x\n',
      '[a "b\\"c"] d = e # f\n; g\n',
      '[a "b\nc"]\n',
      '[a]b\n',
      '[a]\r\n b = c\r\n',
      '\u00ef\u00bb\u00bf[core]\n\tbare\n',
      '[core]\n\tbare = \\q\n',
      '<<<<<<< HEAD\n[core]\n',
    ]
    for (const text of texts) expect(lineFoundIn(text), JSON.stringify(text)).to.equal(lineByGit(text))
  })

  it('is faulty if and only if git refuses it', () => {
    const piece = fc.constantFrom(
      ...[
        '[core]',
        '[a "',
        '"]',
        ']',
        '[',
        '"',
        '\\',
        '\\n',
        '\n',
        '\r\n',
        '\r',
        ' ',
        '\t',
        '=',
        'name',
        'a.b',
        '-',
      ],
      ...['#', ';', '\0', '\u00e9', '1', '_', '\\\n', '\v', '\f', '\u0001', '\u00ff'],
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), pieces => {
        const text = pieces.join('')
        const [ours, gits] = [lineFoundIn(text), lineByGit(text)]
        expect(ours === undefined, JSON.stringify(text)).to.equal(gits === undefined)
      }),
      { numRuns: 200 },
    )
  })
})
