import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { access, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { toOid } from '../../core/value-types.js'
import type { RefUpdate } from '../../service/git/ref-name-rules.js'
import { makeFolder } from '../../store/file-system/make-folder.js'

/**
 * The hook that git runs after it has received a push and before a ref moves. It sends the push to the server over the
 * inherited file descriptor 3, and waits for the answer: lines for the pusher, then a verdict.
 * @see githooks(5), pre-receive; git-receive-pack(1), "Quarantine Environment"
 */
const script = `#!/bin/sh
# Made anew by git-metastore: asks the server that received a push whether its branches may move.
{
  printf '%s\\n' "$GIT_OBJECT_DIRECTORY" "$GIT_ALTERNATE_OBJECT_DIRECTORIES"
  cat
  echo end
} >&3 || exit 1
while IFS= read -r line <&3; do
  case $line in
    accept) exit 0 ;;
    refuse) exit 1 ;;
    *) printf '%s\\n' "\${line#|}" >&2 ;;
  esac
done
echo 'The connection to the server has ended; nothing was changed.' >&2
exit 1
`

/** A received push whose objects are in quarantine. */
export interface ReceivedPush {
  readonly updates: readonly RefUpdate[]
  /** Environment variables by which git finds the objects in quarantine and those of the repository. */
  readonly environment: Readonly<Record<string, string>>
}

export interface PushVerdict {
  readonly accepted: boolean
  /** Messages for the pusher. */
  readonly lines: readonly string[]
}

const name = 'pre-receive'

/** Writes the hook atomically, because git may run it at any time. */
export async function installPreReceiveHook(ownDir: string): Promise<void> {
  const folder = join(ownDir, 'hooks')
  await makeFolder(folder)
  const temporary = join(ownDir, `hook-${randomBytes(6).toString('hex')}`)
  await writeFile(temporary, script, { mode: 0o755 })
  await rename(temporary, join(folder, name))
  await preReceiveHookFolder(ownDir)
}

/**
 * Checks that git can run the hook.
 * @returns the folder for `core.hooksPath`
 * @throws the system's error if the hook is not executable: git would ignore it
 */
export async function preReceiveHookFolder(ownDir: string): Promise<string> {
  const folder = join(ownDir, 'hooks')
  await access(join(folder, name), constants.X_OK)
  return folder
}

/**
 * Answers the hook if git runs it.
 * @param check must not reject
 */
export function answerPreReceiveHook(
  channel: Duplex,
  check: (received: ReceivedPush) => Promise<PushVerdict>,
): void {
  let text = ''
  let asked = false
  channel.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1')
    if (asked || !text.endsWith('\nend\n')) return
    asked = true
    void check(parse(Buffer.from(text, 'latin1').toString())).then(({ accepted, lines }) => {
      const said = lines.flatMap(line => line.split('\n')).map(line => `|${line}\n`)
      channel.write(`${said.join('')}${accepted ? 'accept' : 'refuse'}\n`)
    })
  })
}

function parse(text: string): ReceivedPush {
  const [objects = '', alternates = '', ...lines] = text.slice(0, -'\nend\n'.length).split('\n')
  const oid = (name: string) => (/^0+$/.test(name) ? undefined : toOid(name))
  return {
    environment: { GIT_OBJECT_DIRECTORY: objects, GIT_ALTERNATE_OBJECT_DIRECTORIES: alternates },
    updates: lines.map(line => {
      const [from = '', to = '', ...ref] = line.split(' ')
      return { ref: ref.join(' '), from: oid(from), to: oid(to) }
    }),
  }
}
