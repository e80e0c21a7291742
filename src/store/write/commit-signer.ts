import { existsSync } from 'node:fs'
import { ProblemError } from '../../core/problem.js'
import { errorCode } from '../file-system/file-errors.js'
import { runProgram } from '../process/launcher.js'
import { unusableRepository } from '../repository/inspect-folder.js'

/**
 * Signs the bytes of a commit.
 * @returns the armored signature
 * @throws ProblemError `unavailable`
 */
export type CommitSigner = (commit: Buffer) => Promise<string>

/**
 * Opens a signer that runs ssh-keygen for each commit. Tries it once.
 * @param key file of a private key, or of a public key whose private key an ssh-agent has
 * @throws ProblemError `unusable-repository` if signing fails
 * @see ssh-keygen(1), "-Y sign"; git-config(1), gpg.format
 */
export async function openCommitSigner(key: string): Promise<CommitSigner> {
  if (!existsSync(key)) throw unusableRepository(`There is no key ${key} to sign with.`)
  const trial = await sign(key, Buffer.from('trial'))
  if ('fault' in trial) throw unusableRepository(`Commits cannot be signed with ${key}: ${trial.fault}`)
  return async commit => {
    const signed = await sign(key, commit)
    if ('signature' in signed) return signed.signature
    throw new ProblemError('unavailable', `The commit cannot be signed with ${key}: ${signed.fault}`)
  }
}

type Signed = { readonly signature: string } | { readonly fault: string }

async function sign(key: string, bytes: Buffer): Promise<Signed> {
  try {
    const { code, stdout, stderr } = await runProgram({
      command: 'ssh-keygen',
      args: ['-Y', 'sign', '-n', 'git', '-f', key],
      // Prevents prompts for a passphrase in a terminal or a window.
      env: { ...process.env, LC_ALL: 'C', SSH_ASKPASS_REQUIRE: 'never' },
      hasOwnSession: true,
      input: bytes,
    })
    const signature = stdout.toString().trim()
    if (code === 0 && signature.startsWith('-----BEGIN SSH SIGNATURE-----')) return { signature }
    return { fault: stderr.split('\n').at(-1) || `ssh-keygen ended with exit code ${code}.` }
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
    return { fault: 'there is no ssh-keygen on the PATH. Install OpenSSH, 8.2 or newer.' }
  }
}
