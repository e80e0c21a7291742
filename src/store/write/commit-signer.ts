import { existsSync } from 'node:fs'
import { ProblemError } from '../../core/problem.js'
import { errorCode } from '../file-system/file-errors.js'
import { runProgram } from '../process/launcher.js'
import { unusableRepository } from '../repository-folder/inspect-folder.js'

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
  if (!existsSync(key))
    throw unusableRepository(
      `There is no key ${key} to sign with. --sign takes the file of an ssh key; ${noOpenPgp}`,
    )
  const trial = await sign(key, Buffer.from('trial'))
  if ('fault' in trial) throw unusableRepository(`Commits cannot be signed with ${key}: ${trial.fault}`)
  return async commit => {
    const signed = await sign(key, commit)
    if ('signature' in signed) return signed.signature
    throw new ProblemError('unavailable', `The commit cannot be signed with ${key}: ${signed.fault}`)
  }
}

const noOpenPgp = 'OpenPGP keys (gpg) are not supported.'

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
    return {
      fault:
        faultOf(key, stderr) ?? (stderr.split('\n').at(-1) || `ssh-keygen ended with exit code ${code}.`),
    }
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
    return { fault: 'there is no ssh-keygen on the PATH. Install OpenSSH, 8.2 or newer.' }
  }
}

/** The fault that ssh-keygen means, with what to do; undefined: its own words will do. */
function faultOf(key: string, stderr: string): string | undefined {
  const privateKey = key.replace(/\.pub$/, '')
  if (/incorrect passphrase/.test(stderr)) {
    return (
      `the key has a passphrase, which the server cannot enter. Add the key to an ssh-agent (ssh-add ${privateKey}) and ` +
      `start the server in its environment with --sign ${privateKey}.pub, or use a key without a passphrase.`
    )
  }
  if (/bad permissions|are too open/.test(stderr))
    return `other users may read it, so that ssh-keygen does not use it. Run: chmod 600 ${privateKey}`
  if (/Couldn't load public key|invalid format/.test(stderr)) {
    return (
      `ssh-keygen finds no ssh key in it. A key in PEM format needs its public key in the same folder ` +
      `(ssh-keygen -y -f ${privateKey} > ${privateKey}.pub). ${noOpenPgp}`
    )
  }
  return undefined
}
