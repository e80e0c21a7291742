import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import { parseConfig } from '../../../src/store/repository-folder/git-config.js'

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
    const { fault } = parseConfig(Buffer.from(text, 'latin1').toString())
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

  /** The settings that git lists, each as its name and its value. A name without a value is `true`. */
  function settingsByGit(text: string): readonly string[] {
    const file = join(folder, 'config')
    writeFileSync(file, text)
    const { status, stdout } = spawnSync('git', ['config', '--file', file, '--list', '-z'], {
      encoding: 'utf8',
    })
    expect(status, JSON.stringify(text)).to.equal(0)
    return stdout
      .split('\0')
      .slice(0, -1)
      .map(setting => (setting.includes('\n') ? setting : `${setting}\ntrue`))
  }
  const settingsFoundIn = (text: string) =>
    parseConfig(text).entries.map(({ section, subsection, name, value }) =>
      [section, ...(subsection === '' ? [] : [subsection]), name].join('.').concat('\n', value),
    )

  it('has the settings that git lists', () => {
    const texts = [
      '# comment\n[core]\n\tbare = false ; comment\n  Name=  "quoted # text"  more  \nflag\n',
      '[remote "A \\"b\\""] url = x\n[Extensions]\nobjectFormat = sha\\\n256',
      '[core]\n# a comment that ends in a backslash \\\nbare = true\n',
      '[core]\nbare = true # a comment that ends in a backslash \\\nworktree = /srv\n',
      '[core]\nname = "a \\"b\\" \\\\ c" ; "d"\n',
      '[remote "origin"]\r\n  promisor = true\r\n',
      '[core]\nworktree = \u00a0/srv\ufeff\n',
    ]
    for (const text of texts) expect(settingsFoundIn(text), text).to.deep.equal(settingsByGit(text))
  })

  it('has the settings that git lists, for any file that git accepts', () => {
    const value = fc.array(
      fc.constantFrom(
        'a',
        'B',
        ' ',
        '\u00a0',
        '\ufeff',
        '"c # d"',
        '\\"',
        '\\\\',
        '\\n',
        '\\\n',
        '-',
        '=',
        '/',
      ),
      { maxLength: 6 },
    )
    const comment = fc.constantFrom('', ' # note', ' ; note \\', '#"')
    const line = fc.oneof(
      fc.constantFrom('[core]', '[Remote "A b"]', '[a.b]', '[x "\\"y\\""]', '# note \\', ''),
      fc.constantFrom('flag', 'Flag  '),
      fc.tuple(value, comment).map(([pieces, note]) => `  Name = ${pieces.join('')}${note}`),
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), lines => {
        const text = `[core]\n${lines.join('\n')}\n`
        expect(settingsFoundIn(text), JSON.stringify(text)).to.deep.equal(settingsByGit(text))
      }),
      { numRuns: 200 },
    )
  })
})
