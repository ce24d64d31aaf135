/** The option of every command that opens rooms. */
import { Option } from 'commander';

export function backendOption(): Option {
  return new Option(
    '--backend <name>',
    'sandbox backend (default: A7_SANDBOX or config.toml, else docker, else bubblewrap)',
  ).choices(['docker', 'bubblewrap']);
}
