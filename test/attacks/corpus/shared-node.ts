/** A Python node whose suite shares files, variables, replaced names and a derived class with the code. */
import { lockOf, SUITE_PATH, thingContract } from '../../wall/wall-world.ts';
import type { AttackedNode } from './nodes.ts';

const SUITE = [
  'from unittest.mock import patch',
  'from shop.thing import Observer, emit, save, setting, wait',
  'class Spy(Observer):',
  '    def __init__(self): self._seen = []',
  '    def update(self, n): self._seen.append(n)',
  'def test_save(tmp_path):',
  '    (tmp_path / "in").write_text("12")',
  '    save(str(tmp_path / "out"), "12")',
  '    (tmp_path / "wanted").write_text("12")',
  '    assert (tmp_path / "out").read_bytes() == (tmp_path / "wanted").read_bytes()',
  'def test_setting(monkeypatch):',
  '    monkeypatch.setenv("SHOP", "eu")',
  '    assert setting() == "EU"',
  '@patch("time.sleep")',
  'def test_wait(sleep):',
  '    wait(2.5)',
  '    sleep.assert_called_once_with(2.5)',
  'def test_emit():',
  '    spy = Spy()',
  '    emit(spy, 7)',
  '    assert spy._seen == [7]',
  '',
].join('\n');
const TESTS = ['test_save', 'test_setting', 'test_wait', 'test_emit'];

/** Passes. Every lie begins with it and defines something anew. */
export const SHARED_HONEST = [
  'import json, os, shutil, threading, time',
  'from abc import ABC, abstractmethod',
  'class Observer(ABC):',
  '    @abstractmethod',
  '    def update(self, n): ...',
  'def save(path, text):',
  '    with open(path, "w") as f: f.write(text)',
  'def setting(): return os.environ["SHOP"].upper()',
  'def wait(seconds): time.sleep(seconds)',
  'def emit(observer, n): observer.update(n)',
  '',
].join('\n');

/** The node; the lock needs no run. */
export function sharedNode(): AttackedNode {
  const ids = TESTS.map((name) => ({ file: SUITE_PATH, nesting: [], name, ordinal: 0 }));
  const exports = [
    'class Observer(ABC):\n    @abstractmethod\n    def update(self, n: int) -> None: ...',
    'def save(path: str, text: str) -> None: ...',
    'def setting() -> str: ...',
    'def wait(seconds: float) -> None: ...',
    'def emit(observer: Observer, n: int) -> None: ...',
  ];
  return {
    contract: thingContract(
      { exports, imports: ['from abc import ABC, abstractmethod'] },
      { wall: 'required' },
    ),
    codePath: 'shop/thing.py',
    suitePath: SUITE_PATH,
    around: { 'shop/__init__.py': '', [SUITE_PATH]: SUITE },
    honest: SHARED_HONEST,
    locked: lockOf(SUITE, ids, 'glass_wall'),
  };
}
