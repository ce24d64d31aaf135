"""Prints a module without its work: every function returns None. Arguments: `hollow` or `wrong`, and the source.

`wrong` also takes constants, bases and decorators of classes away: modules of data are their own stub otherwise.
"""

import ast
import sys


class Hollow(ast.NodeTransformer):
    def __init__(self, wrong):
        self.wrong = wrong

    def visit_FunctionDef(self, node):
        node.body = [ast.Return(value=ast.Constant(value=None))]
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node):
        node.body = ast.Constant(value=None)
        return node

    def visit_ClassDef(self, node):
        if self.wrong:
            node.decorator_list, node.keywords = [], []
            is_error = any("Error" in ast.unparse(base) or "Exception" in ast.unparse(base) for base in node.bases)
            node.bases = [ast.Name(id="BaseException", ctx=ast.Load())] if is_error else []
        self.generic_visit(node)
        return node

    def visit_Assign(self, node):
        if self.wrong:
            node.value = ast.Constant(value=None)
            return node
        return self.generic_visit(node)

    def visit_AnnAssign(self, node):
        if self.wrong and node.value is not None:
            node.value = ast.Constant(value=None)
            return node
        return self.generic_visit(node)


def main():
    tree = Hollow(sys.argv[1] == "wrong").visit(ast.parse(sys.argv[2]))
    print(ast.unparse(ast.fix_missing_locations(tree)))


main()
