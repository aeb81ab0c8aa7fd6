class DDSketch:
    def __init__(self, relative_accuracy=0.01):
        self._count = 0; self.sum = 0.0; self._min = float('inf'); self._max = float('-inf')
    @property
    def count(self): return self._count
    @property
    def avg(self): return self.sum / self._count
    def add(self, x):
        self._count += 1; self.sum += x
        if x < self._min: self._min = x
        if x > self._max: self._max = x
    def get_quantile_value(self, q): return self.avg
