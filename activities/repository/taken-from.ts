/** Before tests of Go and Rust their compiler is asked from where it takes the code of the tree; after green ones that is judged. */
import { canBeAnother, GO_LISTING, goFindings, listingArgv } from '../../core/repository/judge-go.ts';
import {
  canBeAnotherCrate,
  CARGO_LISTING,
  cargoArgv,
  cargoFindings,
  rustTestWords,
} from '../../core/repository/judge-rust.ts';
import type { RepositoryFinding } from '../../schemas/repository-report.ts';
import type { RepositoryStepOf } from '../../schemas/repository-steps.ts';
import { OUT_DIR } from '../gate/programs.ts';
import type { RepositoryRooms, RoomEnd } from './room.ts';

type TestStep = RepositoryStepOf<'test_command'>;

/** The command that asks, in the checkout of the tests; none where nothing else could stand for the tree. */
export function asked(rooms: RepositoryRooms, step: TestStep): readonly (readonly string[])[] {
  const { own } = rooms;
  switch (compilerOf(rooms, step)) {
    case 'go':
      return [listingArgv(own.goModules, step.argv, OUT_DIR)];
    case 'rust':
      return [cargoArgv(own.rustPackages, step.argv, OUT_DIR)];
    case null:
      return [];
  }
}

/** What it said, of a command without any other finding. */
export function takenFindings(
  rooms: RepositoryRooms,
  step: TestStep,
  { out, result }: RoomEnd,
): RepositoryFinding[] {
  const { own, files } = rooms;
  const said = (name: string): string | null => {
    const bytes = out.find((file) => file.path === name)?.bytes;
    return bytes === undefined ? null : new TextDecoder().decode(bytes);
  };
  switch (compilerOf(rooms, step)) {
    case 'go': {
      const paths = new Set(files.map((file) => file.path));
      const listing = said(GO_LISTING);
      return goFindings(step.name, { listing, stdout: result.stdout.text }, own.goModules, paths);
    }
    case 'rust':
      return cargoFindings(step, said(CARGO_LISTING), own.rustPackages, rustTestWords(files));
    case null:
      return [];
  }
}

function compilerOf({ own, files, hasPackages }: RepositoryRooms, { count }: TestStep): 'go' | 'rust' | null {
  if (count.by !== 'format') return null;
  const { goModules, rustPackages } = own;
  if (count.format === 'go_json')
    return goModules.size > 0 && (hasPackages || canBeAnother(goModules, files)) ? 'go' : null;
  if (count.format === 'libtest') return canBeAnotherCrate(rustPackages, files, hasPackages) ? 'rust' : null;
  return null;
}
