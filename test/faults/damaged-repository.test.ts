// test-schedule: first
import { rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Writable } from 'node:stream'
import type { WriteStream } from 'node:tty'
import { expect } from 'chai'
import { run } from '../../src/cli/main.js'
import { openTerminal } from '../../src/cli/output/terminal.js'
import { isLongForm } from '../support/program/long-form.js'
import { runMetastore, stopProcesses } from '../support/program/run-program.js'
import { shareValidators } from '../support/program/shared-validators.js'
import { removeRepositories } from '../support/repository/test-repository.js'
import { copyOf, type Damage, damages, makeWhole, type Whole, withoutCatalog } from './repository-damages.js'

/** Result of a command that runs in this process, because several hundred commands run. */
interface Said {
  readonly code: number
  readonly text: string
}

async function say(args: readonly string[]): Promise<Said> {
  const pieces: Buffer[] = []
  const sink = () =>
    new Writable({
      write(chunk: Buffer, _, done) {
        pieces.push(chunk)
        done()
      },
    }) as unknown as WriteStream
  const code = await run(args, openTerminal(sink(), sink()))
  return { code, text: Buffer.concat(pieces).toString() }
}

/** All commands except `verify`, which runs for each damage. */
const others: readonly (readonly string[])[] = [
  ['verify', '--full'],
  ['status'],
  ['list'],
  ['get', 'one'],
  ['get', 'one', '--version', '1'],
  ['log', 'one'],
  ['diff', 'one', '1', '2'],
  ['blame', 'one'],
  ['export'],
  ['export', '--history'],
  ['check'],
  ['commit', '-m', 'x'],
  ['repair'],
]

/**
 * Commands to run on a damaged repository. In the long form, these are all commands, with a catalog and without. In the
 * short form, it is one of them. `status` runs for a damage of a ref, too, because it reads refs in its own way.
 */
function commandsFor(at: number, { to }: Damage): readonly (readonly string[])[] {
  if (isLongForm) return others
  return [
    ...others.slice(at % others.length, (at % others.length) + 1),
    ...(to === 'refs' ? [['status']] : []),
  ]
}

/** Whether commands may succeed in spite of the damage, because it affects only derived files. */
const harmless = (damage: Damage) => damage.to === 'derived'

describe('a damaged repository', () => {
  const whole: Partial<Record<Damage['storage'], Whole>> = {}
  before(async () => {
    // Keeps the validation workers between commands, because most commands would start new ones.
    shareValidators()
    for (const storage of ['loose', 'packed'] as const) whole[storage] = await makeWhole(storage)
  })
  after(async () => {
    await stopProcesses()
    await removeRepositories()
  })

  async function withDamage(
    damage: Damage,
    use: (dir: string, whole: Whole) => Promise<void>,
  ): Promise<void> {
    const original = whole[damage.storage] as Whole
    const dir = copyOf(original)
    try {
      damage.apply(dir, original)
      await use(dir, original)
    } finally {
      rmSync(dirname(dir), { recursive: true, force: true, maxRetries: 5 })
    }
  }

  function isPlain({ code, text }: Said, args: readonly string[]): void {
    const what = `${args.join(' ')}: ${text}`
    expect(text, what).to.not.match(/^ +at /m)
    expect(code, what).to.be.oneOf([0, 4])
    if (code !== 0)
      expect(text, what).to.match(args[0] === 'repair' ? /--from|--data/ : /git-metastore repair --/)
  }

  for (const [index, damage] of damages.entries()) {
    it(`is reported with a remedy, without a stack trace: ${damage.name}`, async () => {
      for (const hasCatalog of isLongForm ? [true, false] : [index % 2 === 0]) {
        await withDamage(damage, async (dir, { objects }) => {
          if (!hasCatalog) withoutCatalog(dir)
          const verify = ['verify', '--data', dir]
          const verified = await say(verify)
          if (damage.to !== 'derived') isPlain(verified, verify)
          expect(verified.text).to.not.match(/^ +at /m)
          if (verified.code === 4 && damage.name.startsWith('objects/')) {
            const repair = ['repair', '--data', dir]
            expect((await say(repair)).text).to.match(/^damaged {2}objects\//)
          }
          if (!harmless(damage)) expect(verified.code, verified.text).to.equal(4)
          if (damage.object) {
            expect(verified.text).to.include(objects[damage.object])
            // If git cannot read a commit, only the catalog can name the record that the commit changed.
            const isKnown = hasCatalog || !damage.object.includes('commit')
            if (damage.object !== 'the root tree' && isKnown)
              expect(verified.text).to.match(/^\w+ +metadata (one|three)\b/m)
          }
          for (const command of commandsFor(index, damage)) {
            if (!hasCatalog) withoutCatalog(dir)
            const args = [...command, '--data', dir]
            isPlain(await say(args), args)
          }
        })
      }
    })
  }

  for (const name of ['the commit of the head, packed: bits flipped', 'an older commit, loose: empty']) {
    it(`prevents the start of a server without a catalog, with a message: ${name}`, async () => {
      const damage = damages.find(each => each.name === name) as Damage
      await withDamage(damage, async (dir, { objects }) => {
        withoutCatalog(dir)
        const { code, stderr } = await runMetastore(['serve', '--port', '0', '--data', dir])
        expect(code, stderr).to.equal(4)
        expect(stderr).to.include(objects[damage.object as keyof typeof objects])
        expect(stderr).to.include('git-metastore repair --from')
        expect(stderr).to.not.match(/^ +at /m)
      })
    })
  }

  it('is reported if git crashes on it', async () => {
    const dir = copyOf(whole.packed as Whole)
    const git = join(dirname(dir), 'git')
    writeFileSync(
      git,
      '#!/bin/sh\ncase " $* " in *" rev-list "*|*" log "*) kill -SEGV $$ ;; esac\nexec git "$@"\n',
      { mode: 0o755 },
    )
    const args = ['verify', '--full', '--git', git, '--data', dir]
    const verified = await say(args)
    isPlain(verified, args)
    expect(verified.code).to.equal(4)
    expect(verified.text).to.include('Git crashed (SIGSEGV): it cannot read a file of the repository.')
  })
})
